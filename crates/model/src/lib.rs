//! What the service's rooms speak of: ids, the time, what may happen to a charge, and what merchants hear of it. No I/O.

pub mod charge_state;
pub mod clock;
pub mod ids;
pub mod webhook_event;
pub mod webhook_schedule;

mod attempt_limit;
mod kept_card;

pub use attempt_limit::AttemptLimit;
pub use kept_card::KeptCard;
