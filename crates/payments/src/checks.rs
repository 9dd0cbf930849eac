//! Checks before a card pays or a saved card is shown: the card's rules, whether the charge has expired, and whether
//! payments are open.

pub mod card_check;
pub mod expiry;
pub mod payment_gate;
