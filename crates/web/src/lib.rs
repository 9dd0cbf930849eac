//! What every request uses: the listener, connections and their limits, the client's address, bodies and errors.

mod answer_body;
mod connection;
mod connections;
mod listener;
mod signals;
pub mod tls;

pub mod client_ip;

mod first_items;
mod json_body;
mod limits_hit;
mod path_id;
mod public_address;
mod request_body;
pub mod request_ids;
mod trace_context;

mod api_error;
mod operation;

pub mod built_file;
pub mod cookie_id;

pub use api_error::ApiError;
pub use client_ip::{ClientAddress, Proxies, UNREADABLE, counted_network};
pub use connection::TimeLimits;
pub use connections::{ConnectionLimits, Connections, DESCRIPTORS_WANTED, raise_descriptor_limit};
pub use cookie_id::{CookieId, is_cookie_id};
pub use first_items::FirstItems;
pub use json_body::{BODY_BYTES_MAX, JsonBody, NoFields, OptionalBody};
pub use limits_hit::{LIMITS_HIT, RequestLimit, count_limit};
pub use listener::{ListenError, Listening, bind};
pub use operation::{
    Caller, Content, DescribedAnswer, Operation, Parameter, ParameterValue, SchemaOf, json_body,
};
pub use path_id::{Named, PathId};
pub use public_address::is_public;
pub use request_ids::{RequestIds, TraceOfRequest, note_attempt, note_charge, note_partner};
pub use signals::Signals;
pub use tls::{Tls, TlsError, TlsFiles};
pub use trace_context::TraceContext;
