//! What happens to the money of a charge after its payment: refunds, captures and releases. Each is an operation, which is
//! durable before the provider is called and ends once. `run.rs` is the one place where operations begin and end.

pub mod capture_charge;
pub mod create_refund;
pub mod get_refund;
pub mod list_disputes;
pub mod list_refunds;
pub mod provider_events;

pub mod holds;
pub mod listed_disputes;
mod run;
pub mod unfinished;

pub use run::{Wish, begin_and_run};
