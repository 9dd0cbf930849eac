//! The payment with a card: the checks before it, the saved cards, the charges with their endpoints, and the
//! operator's desk.

pub mod charges;
pub mod checks;
pub mod desk;
pub mod operations;
pub mod saved_cards;
