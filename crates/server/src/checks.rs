//! Checks before a card pays or a saved card is shown: the card's rules, and whether the charge has expired.

pub mod card_check;
pub mod expiry;
