//! Processes and servers for drills, benchmarks and tests: the service, PostgreSQL, a merchant, a webhook receiver, and other
//! programs from Debian's packages.

mod archived_postgres;
pub mod certificate;
pub mod companion;
pub mod faulty_proxy;
mod first_line;
pub mod haproxy;
pub mod load;
pub mod own_address;
pub mod postgres;
pub mod postgres_programs;
pub mod process;
pub mod random;
pub mod receiver;
pub mod shop;
pub mod test_cards;
pub mod waiting;
