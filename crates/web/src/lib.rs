//! What every request uses: the listener, connections and their limits, the client's address, bodies and errors.

pub mod connection;
pub mod connections;
pub mod listener;
pub mod signals;
pub mod tls;

pub mod client_ip;

pub mod first_items;
pub mod json_body;
pub mod limits_hit;
pub mod path_id;
pub mod public_address;
mod request_body;
pub mod request_ids;
pub mod trace_context;

pub mod api_error;
pub mod operation;

pub mod built_file;
pub mod cookie_id;
