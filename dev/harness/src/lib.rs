//! What drills, benchmarks and tests start: the service as a process, PostgreSQL, a merchant, a webhook receiver, and
//! other programs from Debian's packages.

pub mod broker;
pub mod companion;
pub mod faulty_proxy;
mod first_line;
pub mod haproxy;
pub mod load;
pub mod own_address;
pub mod pgbouncer;
pub mod postgres;
pub mod postgres_programs;
pub mod process;
pub mod random;
pub mod receiver;
pub mod scripted_postgres;
pub mod shop;
pub mod standby;
pub mod test_cards;

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
