//! The service on trial: real processes, a PostgreSQL of its own, shoppers who retry, and books that must agree. Knows
//! the service from outside alone: its command line and its HTTP.

pub mod bench;
pub mod broker;
pub mod chance;
pub mod chaos;
pub mod events;
mod life;
pub mod pages;
pub mod postgres;
pub mod process;
pub mod receiver;
pub mod shop;
mod shopper;
pub mod test_cards;
mod told;
mod verdict;

use thiserror::Error;

/// Why a trial could not be held, or how it ended badly. One line for whoever reads it.
#[derive(Debug, Error)]
pub enum TrialError {
    /// A program could not be started.
    #[error("cannot start {0}: {1}")]
    Start(String, std::io::Error),
    /// A program ended or said something else than that it is ready.
    #[error("{0} is not ready: {1}")]
    NotReady(String, String),
    /// PostgreSQL's programs are not on this machine.
    #[error("PostgreSQL is not installed: on Debian `apt-get install postgresql-15`")]
    NoPostgres,
    /// The service gave no answer, or not one of the contract.
    #[error("the service answered {0}")]
    Answer(String),
    /// The books do not agree.
    #[error("the books do not agree:\n{}", .0.join("\n"))]
    Books(Vec<String>),
}
