//! What must hold before a card pays or a saved card is shown: the card's rules, and the charge's time.

pub mod card_check;
pub mod expiry;
