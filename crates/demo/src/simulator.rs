//! The simulator of a provider: takes cards over HTTP as a real provider does, and keeps a ledger of the payments.

pub mod cards;
mod challenge_page;
mod challenges;
mod clock_route;
mod device_data;
mod disputes;
pub(crate) mod journal;
mod ledger;
mod list;
mod operation_routes;
mod operations;
mod pages;
mod routes;
pub mod scenarios;

pub use challenges::Challenges;
pub use clock_route::{ClockMover, clock_of, clock_route};
pub use device_data::{Session, Sessions};
pub use journal::{Journal, JournalEntry, JournalError};
pub use ledger::Ledger;
pub use operations::{OperationEntry, Operations};
pub use routes::{Simulator, pages_router, router};
