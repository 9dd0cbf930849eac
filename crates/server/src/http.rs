//! What every request uses: the listener, connections and their limits, the client's address, bodies and errors.

pub mod connection;
pub mod connections;
pub mod listener;
pub(crate) mod signals;
pub mod tls;

pub mod client_ip;

pub mod json_body;
pub(crate) mod limits_hit;
pub mod path_id;
pub mod public_address;
pub(crate) mod request_ids;
pub(crate) mod trace_context;

pub mod api_error;
pub(crate) mod carried_card;
