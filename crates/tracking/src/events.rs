//! Events of shoppers' pages. `POST /topics/{topic}` accepts them like Kafka's REST proxy, and one task writes them to
//! the database or to Kafka. A payment never waits for an event.

mod produce;

mod client_limits;
mod known_fields;
mod record;

mod queue;

pub mod collector;
mod forwarder;
mod kafka;
mod kafka_login;
mod sink;

pub mod settings;

mod counts;

pub use counts::{Dropped, EventCounts};
pub use kafka_login::KafkaAccess;
pub use kafka_login::KafkaLoginError;
pub use produce::{BODY_BYTES_MAX, RECORDS_MAX, method_not_allowed, produce};
pub use queue::Events;
