//! Tests the service from outside, by its command line and HTTP: with real processes, a PostgreSQL server of its own,
//! shoppers who retry, and records that must agree.

mod archived_postgres;
pub mod bench;
pub mod broker;
pub mod capacity;
pub mod chaos;
mod cluster;
mod companion;
mod consistency;
pub mod costs;
pub mod drill;
pub mod events;
pub mod failover;
pub mod faults;
pub mod faulty_proxy;
mod first_line;
mod haproxy;
pub mod image;
pub mod kept_seeds;
pub mod lists;
mod load;
mod load_during_faults;
mod merchant_events;
mod nginx;
mod node;
pub mod own_address;
mod page_load;
pub mod pages;
pub mod pgbouncer;
pub mod postgres;
mod postgres_programs;
mod presses;
pub mod process;
mod processor;
pub mod provider;
pub mod provider_outage;
pub mod random;
pub mod receiver;
pub mod rolling;
mod scripted_postgres;
pub mod shop;
mod shopper;
mod small_disk;
pub mod standby;
pub mod test_cards;
pub mod tls;
pub mod training;

use thiserror::Error;

/// Why a trial could not run, or how it failed, in one line.
#[derive(Debug, Error)]
pub enum TrialError {
    /// A program could not be started.
    #[error("cannot start {0}: {1}")]
    Start(String, std::io::Error),
    /// A program ended, or did not report that it is ready.
    #[error("{0} is not ready: {1}")]
    NotReady(String, String),
    /// PostgreSQL's programs are not on this machine.
    #[error("PostgreSQL is not installed: on Debian `apt-get install postgresql-15`")]
    NoPostgres,
    /// The service gave no answer or an unexpected one.
    #[error("the service answered {0}")]
    Answer(String),
    /// The records do not agree.
    #[error("the books do not agree:\n{}", .0.join("\n"))]
    Books(Vec<String>),
}
