//! What the rooms of the service share: ids, the clock, the states of a charge, and the events that merchants get. No
//! I/O.

pub mod charge_state;
pub mod clock;
pub mod ids;
pub mod webhook_event;
pub mod webhook_schedule;

mod attempt_limit;
mod kept_card;
mod listed_payment;
mod secret_source;
mod told_charge;

pub use attempt_limit::AttemptLimit;
pub use kept_card::KeptCard;
pub use listed_payment::{AttemptOutcome, ListedPayment};
pub use secret_source::SecretSource;
pub use told_charge::ToldCharge;
