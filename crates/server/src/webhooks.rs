//! Webhooks: every change of a charge's state is told to its merchant, signed, in order, until it is heard. The events
//! wait in the store; any node sends them.

pub mod delivery;
pub mod destination;
pub mod secret_at_rest;
pub mod sender;

/// The largest body that `cardform webhook listen` reads, in bytes; ours are far smaller.
pub const EVENT_BYTES_MAX: usize = 64 * 1024;
