//! The validation rules: the brands of cards, the six fields of the form, their error ids and limits, the locales,
//! amounts and origins. Everything here is pure: today's month and the experiments come as parameters. The form has the
//! same rules in TypeScript (`form/src/card/`), with tables generated from these. Both run the cases in `cases/*.json`.
//!
//! Read it in the order in which a card is checked:
//!
//! - [`brand`] has the lengths and prefixes of each brand. [`limits`] and [`letters`] are the constants and characters
//!   that the rules use.
//! - [`number`], [`expiry`], [`security_code`], [`holder_name`], [`postal_code`] and [`holder_email`] each turn a text
//!   into a [`Verdict`].
//! - [`CardNetworks`] has the networks that can carry a payment with a number.
//! - `card_numbers` finds card numbers in a text that must have none.
//! - [`field`] has the names of the fields and calls the rule of each. [`card`] checks a whole card, for the server.
//!
//! **Invariant**: no text makes this crate panic, and this crate neither stores nor copies a card number.

pub mod brand;
pub mod letters;
pub mod limits;

pub mod error_id;
mod verdict;

pub mod expiry;
pub mod holder_email;
pub mod holder_name;
pub mod number;
pub mod postal_code;
pub mod security_code;

pub mod card;
mod card_networks;
mod card_numbers;
pub mod field;

pub mod amount;
pub mod locale;
pub mod origin;

pub use brand::Brand;
pub use card::{CardRefusal, NewCard, check_card};
pub use card_networks::{CardNetworks, NetworksError};
pub use card_numbers::{has_card_number, mask_card_numbers};
pub use error_id::ErrorId;
pub use expiry::Month;
pub use field::{Context, Field, RuleExperiments, judge};
pub use origin::AllowedOrigin;
pub use postal_code::PostalCountry;
pub use verdict::Verdict;
