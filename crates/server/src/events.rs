//! Events of shoppers' pages: `POST /topics/{topic}` takes them in the words of Kafka's REST proxy, and one task keeps
//! them in the database or hands them on to Kafka. Nobody who pays waits for any of it.

mod produce;
mod refusal;
mod request;

mod client_limits;
mod record;

mod intake;

pub mod collector;
mod forwarder;
mod kafka;
mod kafka_login;
mod onlooker;
mod sink;

pub mod settings;

mod counts;

pub(crate) use counts::{Dropped, EventCounts};
pub use intake::Events;
pub(crate) use kafka_login::KafkaAccess;
pub use kafka_login::KafkaLoginError;
pub(crate) use produce::{method_not_allowed, produce};
pub use request::{BODY_BYTES_MAX, RECORDS_MAX};
