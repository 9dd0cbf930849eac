//! The payment with a card: the checks before it, the saved cards, and the charges with their endpoints.

pub mod charges;
pub mod checks;
pub mod operations;
pub mod saved_cards;
