//! Drills against a running service: nodes, databases and providers fail while shoppers pay. At the end all records of the
//! charges are compared.

pub mod billing;
pub mod books;
mod cluster;
pub mod failover;
pub mod faults;
pub mod image;
pub mod killed_nodes;
mod load;
mod node;
pub mod provider;
pub mod provider_outage;
pub mod refunds;
pub mod restore;
pub mod rolling;
mod shopper;
mod small_disk;
mod suffering;
mod surroundings;
mod webhook_events;
