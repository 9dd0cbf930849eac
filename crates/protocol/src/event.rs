//! The events that the page sends about a visit (docs/tracking.md#events): page views, clicks, viewed experiments, the
//! product's own analytics, identities and sessions.
//!
//! They are posted to `/topics/{topic}` as records of Kafka's REST interface. No event contains typed text, a name, an
//! email, a client secret or a charge intent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `Content-Type` of a batch of events.
pub const EVENTS_CONTENT_TYPE: &str = "application/vnd.kafka.json.v2+json";
/// The most events in one batch.
pub const EVENTS_PER_BATCH_MAX: usize = 50;
/// The longest batch, in bytes. A closing page may send 64 KiB at most, and the direct charge must fit beside the
/// batch.
pub const EVENT_BATCH_BYTES_MAX: usize = 30_000;
/// The longest text of an event, in characters. Browsers' user agents are shorter.
pub const EVENT_TEXT_CHARACTERS_MAX: usize = 512;
/// The longest address in an event, in characters. It holds the path and the seven campaign parameters at their
/// longest.
pub const EVENT_URL_CHARACTERS_MAX: usize = 2_048;
/// The longest name of a custom event, in characters.
pub const EVENT_NAME_CHARACTERS_MAX: usize = 64;
/// The most entries in an event's `data`, `attributes` or `additionalInfo`.
pub const EVENT_DATA_ENTRIES_MAX: usize = 16;

/// The settings of the page's tracking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Tracking {
    /// The topic that events are posted to: "cardform-events".
    pub topic: String,
    /// Whether the events are posted.
    pub mode: ExperimentationMode,
    /// The idle time after which a session ends, in milliseconds (docs/tracking.md#sessions-and-identities).
    #[ts(type = "number")]
    pub session_timeout_ms: u64,
}

/// The environment of experiments and events (docs/tracking.md#switching-it-off).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::EnumString, TS)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ExperimentationMode {
    /// Events are posted.
    Production,
    /// Events are posted, as in production.
    Staging,
    /// Events are only written to the browser's console.
    Dev,
}

/// The body of `POST /topics/{topic}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EventBatch {
    /// At least one.
    pub records: Vec<EventRecord>,
}

/// One event of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct EventRecord {
    /// The visit. Kafka keeps the order of records with the same key.
    pub key: String,
    /// The event.
    pub value: Event,
}

/// Something that happened in a visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Event {
    /// `pageView`, `click`, `ExperimentViewed`, `identify`, `sessionStart`, `sessionClose`, or a custom event's own
    /// name.
    pub name: String,
    /// A UUID, so that a receiver recognizes an event that arrives twice.
    pub id: String,
    /// The time of the event by the browser's clock, in milliseconds since 1970.
    #[ts(type = "number")]
    pub at: u64,
    /// A UUID of this page load.
    pub visit: String,
    /// The page, the browser and the session of the event.
    pub metadata: EventMetadata,
    /// The event's kind, with the fields of this kind.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// The kinds of events, and the fields of each kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// The page was opened.
    PageView {
        /// The document's title.
        title: String,
        /// The path: `/th-TH`.
        path: String,
        /// The origin of the page that links to the form or embeds it; empty if the browser does not name it.
        referrer_url: String,
        /// The page's locale.
        locale: String,
        /// The kind of form, in fixed words.
        additional_info: EventData,
    },
    /// The shopper clicked.
    Click {
        /// Our own id of the element, `pay`; never its text.
        element: String,
    },
    /// The shopper saw an experiment's variation. Sent once per experiment and session.
    ExperimentViewed {
        /// The experiment's key.
        experiment_id: String,
        /// The variation's index.
        variation_id: u32,
        /// The variation's key.
        variation_key: String,
    },
    /// The product's own analytics.
    Custom {
        /// Fixed words and numbers: `elapsed_ms`, `field`, `error_id`.
        data: EventData,
    },
    /// The ids of the browser and the shopper.
    Identify {
        /// The browser's id, which all its visits share.
        device_id: String,
        /// The shopper's random id. It changes if another shopper uses the browser.
        anonymous_id: String,
        /// The shopper's cookie id for experiments.
        cookie_id: String,
    },
    /// A session starts or closes.
    Session,
}

/// A flat object of fixed words and numbers.
pub type EventData = BTreeMap<String, EventValue>;

/// A value of an [`EventData`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum EventValue {
    /// A fixed word.
    Text(String),
    /// A count or a duration.
    Number(#[ts(type = "number")] serde_json::Number),
    /// True or false.
    Flag(bool),
}

/// The product that events belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum EventNamespace {
    /// The payment form's.
    Pay,
}

/// The fields of every event (docs/tracking.md#metadata). Unknown values are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventMetadata {
    /// The product that the event belongs to.
    pub namespace: EventNamespace,
    /// The shopper's cookie id for experiments.
    pub coda_cookie_id: String,
    /// The page's origin, path and campaign parameters, and no other part of its address.
    pub full_url: String,
    /// The client's IP address, which the page looked up.
    pub ip: String,
    /// The application's version.
    pub library_version: String,
    /// The page's host.
    pub domain_name: String,
    /// The browser's `User-Agent`.
    pub user_agent: String,
    /// The operating system: "Android", "iOS", "Windows", "macOS", "Linux" or "Chrome OS".
    pub os: String,
    /// Whether the device is a phone or a tablet.
    pub mobile: bool,
    /// "Chrome", "Safari", "Firefox", "Edge", "Opera" or "Samsung Internet".
    pub browser: String,
    /// The id of the click on the campaign.
    pub cid: String,
    /// The campaign.
    pub campaign_id: String,
    /// `utm_campaign`.
    pub utm_campaign: String,
    /// `utm_source`.
    pub utm_source: String,
    /// `utm_medium`.
    pub utm_medium: String,
    /// `utm_content`.
    pub utm_content: String,
    /// `utm_term`.
    pub utm_term: String,
    /// A UUID of the session.
    pub session_id: String,
    /// The session's number in this browser, from 1.
    pub session_num: u32,
    /// How long the page has been visible so far, in milliseconds.
    #[ts(type = "number")]
    pub engagement_ms: u64,
    /// More fields, in fixed words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub attributes: Option<EventData>,
}

#[cfg(test)]
mod tests;
