//! Saved cards: the endpoints that list, change and remove them, card sessions, and saving and paying with them. A client secret
//! gives access to the cards of its own shopper at its own partner, and to no others (SECURITY.md#what-must-always-hold).

pub mod add_card;
pub mod agreement;
pub mod change_payment_method;
pub mod create_card_session;
pub mod erase_shopper;
pub mod list_payment_methods;
pub mod merchant_cards;
pub mod remove_payment_method;

mod count;
mod owner;

pub mod pay;
pub mod save;

pub mod at_provider;

pub mod rotate;

pub mod transfer;

mod state;

pub use state::SavedCards;

pub use count::saved_cards_to_show;
