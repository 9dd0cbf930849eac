//! Webhooks: every change of a charge's state is sent to its merchant, signed and in order, until the merchant's server
//! accepts it. The events wait in the database; any node sends them. And the merchant's endpoints.

pub mod delivery;
pub mod destination;
pub mod endpoints;
pub mod secret_at_rest;
pub mod sender;

/// The largest body that `cardform webhook listen` reads, in bytes; our events are far smaller.
pub const EVENT_BYTES_MAX: usize = 64 * 1024;
