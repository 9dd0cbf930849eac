//! Drills against a running service: nodes, databases and providers fail while shoppers pay. At the end the records of
//! everyone who took part are compared.

mod archived_postgres;
mod cluster;
mod consistency;
pub mod drill;
pub mod failover;
pub mod faults;
pub mod image;
pub mod kept_seeds;
pub mod killed_nodes;
mod load_during_faults;
mod merchant_events;
mod node;
pub mod provider;
pub mod provider_outage;
pub mod rolling;
mod shopper;
mod small_disk;
