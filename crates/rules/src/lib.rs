//! What is valid: the brands of cards, the five fields of the form, their error ids and limits, the locales, amounts,
//! origins.
//! Everything here is pure: today's month and the experiments come as parameters. The form holds the same rules in
//! TypeScript (`form/src/card/`), on tables that are generated from these, and `cases/*.json` is run by both.
//!
//! Read it in the order in which a card is judged:
//!
//! - [`brand`] says what a number may look like; [`limits`] and [`letters`] are the numbers and characters of the rules.
//! - [`number`], [`expiry`], [`security_code`], [`holder_name`] and [`holder_email`] each turn a text into a [`Verdict`].
//! - [`field`] names the fields and finds the rule of each; [`card`] judges a whole card, for the server.
//!
//! **Invariant**: nothing here panics, whatever the text, and nothing keeps or copies a card number.

pub mod brand;
pub mod letters;
pub mod limits;

pub mod error_id;
mod verdict;

pub mod expiry;
pub mod holder_email;
pub mod holder_name;
pub mod number;
pub mod security_code;

pub mod card;
pub mod field;

pub mod amount;
pub mod locale;
pub mod origin;

pub use brand::Brand;
pub use card::{NewCard, Refusal, check_card};
pub use error_id::ErrorId;
pub use expiry::Month;
pub use field::{Context, Experiments, Field, judge};
pub use origin::AllowedOrigin;
pub use verdict::Verdict;
