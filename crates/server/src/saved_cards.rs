//! Saved cards: the endpoints that list and remove them, and the way of a card number into the vault and out of it.
//! A client secret reaches its own shopper's cards of its own partner, and no other's
//! (SECURITY.md#what-must-always-hold).

pub mod list_payment_methods;
pub mod remove_payment_method;

mod count;
mod owner;

pub mod pay;
pub mod save;

pub mod at_provider;

pub mod rotate;

mod state;

pub use state::SavedCards;

pub(crate) use count::saved_cards_to_show;
