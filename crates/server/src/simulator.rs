//! The provider's simulator: takes cards over HTTP as a real provider would, and keeps a ledger of what it took.

pub mod cards;
mod ledger;
pub mod payment;
mod routes;

pub use ledger::{Ledger, LedgerError};
pub use routes::{Simulator, router};
