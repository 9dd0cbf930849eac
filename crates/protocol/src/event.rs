//! The events that the page sends about a visit (docs/tracking.md#events): page views, clicks, viewed experiments, the
//! product's own analytics, identities and sessions.
//!
//! They are posted to `/topics/{topic}` as records of Kafka's REST interface. No event has anything that was typed, a
//! name, an email, a client secret or a charge intent in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `Content-Type` of a batch of events.
pub const EVENTS_CONTENT_TYPE: &str = "application/vnd.kafka.json.v2+json";
/// The most events in one batch.
pub const EVENTS_PER_BATCH_MAX: usize = 50;
/// The longest batch, in bytes. All browsers let a closing page send 64 KiB at most, and the direct charge must fit in
/// it, too.
pub const EVENT_BATCH_BYTES_MAX: usize = 30_000;
/// The longest text of an event, in characters; browsers' user agents are shorter.
pub const EVENT_TEXT_CHARACTERS_MAX: usize = 512;
/// The longest address in an event, in characters: the seven campaign parameters at their longest, and the path.
pub const EVENT_URL_CHARACTERS_MAX: usize = 2_048;
/// The longest name of a custom event, in characters.
pub const EVENT_NAME_CHARACTERS_MAX: usize = 64;
/// The most entries in an event's `data`, `attributes` or `additionalInfo`.
pub const EVENT_DATA_ENTRIES_MAX: usize = 16;

/// How the page's tracking is set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Tracking {
    /// The topic that events are posted to: "cardform-events".
    pub topic: String,
    /// What becomes of the events.
    pub mode: ExperimentationMode,
    /// After how much idle time a session is over, in milliseconds (docs/tracking.md#sessions-and-identities).
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub session_timeout_ms: u64,
}

/// The environment of experiments and events (docs/tracking.md#switching-it-off).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ExperimentationMode {
    /// Events are posted.
    Production,
    /// Events are posted, as in production.
    Staging,
    /// Events are written to the browser's console and go nowhere.
    Dev,
}

impl ExperimentationMode {
    /// Reads its name: `staging`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "production" => Some(Self::Production),
            "staging" => Some(Self::Staging),
            "dev" => Some(Self::Dev),
            _ => None,
        }
    }
}

/// The body of `POST /topics/{topic}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EventBatch {
    /// At least one.
    pub records: Vec<EventRecord>,
}

/// One event of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EventRecord {
    /// The visit, so that its events keep their order.
    pub key: String,
    /// The event.
    pub value: Event,
}

/// Something that happened in a visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Event {
    /// `pageView`, `click`, `ExperimentViewed`, `identify`, `sessionStart`, `sessionClose`, or a custom event's own name.
    pub name: String,
    /// A UUID, so that a receiver recognizes an event that arrives twice.
    pub id: String,
    /// When it happened by the browser's clock, in milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub at: u64,
    /// A UUID of this page load.
    pub visit: String,
    /// Where and in which session it happened.
    pub metadata: EventMetadata,
    /// What happened, with the fields of its kind.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// The kinds of events, and what each has of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum EventKind {
    /// The page was opened.
    PageView {
        /// The document's title.
        title: String,
        /// The path: `/th-TH`.
        path: String,
        /// The origin of the page that links to the form or embeds it; empty if the browser does not say.
        referrer_url: String,
        /// The page's locale.
        locale: String,
        /// What kind of form it is, in fixed words.
        additional_info: EventData,
    },
    /// The shopper clicked.
    Click {
        /// Our own id of the element, `pay`; never its text.
        element: String,
    },
    /// The shopper saw an experiment's variation, once per experiment and session.
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
    /// Which browser it is.
    Identify {
        /// The same for all visits of this browser.
        device_id: String,
        /// The same until the shopper is somebody else.
        anonymous_id: String,
        /// The shopper's cookie id for experiments.
        cookie_id: String,
    },
    /// A session starts or closes.
    Session,
}

/// A flat object of fixed words and numbers.
pub type EventData = BTreeMap<String, EventValue>;

/// What stands in an [`EventData`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum EventValue {
    /// A fixed word.
    Text(String),
    /// A count or a duration.
    Number(#[cfg_attr(feature = "typescript", ts(type = "number"))] serde_json::Number),
    /// Yes or no.
    Flag(bool),
}

/// Whose events they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum EventNamespace {
    /// The payment form's.
    Pay,
}

/// What stands in every event (docs/tracking.md#metadata). What is not known is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct EventMetadata {
    /// Whose event it is.
    pub namespace: EventNamespace,
    /// The shopper's cookie id for experiments.
    pub coda_cookie_id: String,
    /// The page's origin, path and campaign parameters, nothing else of its address.
    pub full_url: String,
    /// The client's address as it was looked up.
    pub ip: String,
    /// The application's version.
    pub library_version: String,
    /// The page's host.
    pub domain_name: String,
    /// The browser's own description.
    pub user_agent: String,
    /// What it runs on: "Android", "iOS", "Windows", "macOS", "Linux", "Chrome OS"; empty where unknown.
    pub os: String,
    /// A phone or a tablet.
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
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub engagement_ms: u64,
    /// More fields, in fixed words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub attributes: Option<EventData>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn metadata() -> serde_json::Value {
        json!({
            "namespace": "pay", "codaCookieId": "c", "fullUrl": "https://pay.example/", "ip": "", "libraryVersion": "2.3.0",
            "domainName": "pay.example", "userAgent": "", "os": "iOS", "mobile": true, "browser": "Safari", "cid": "",
            "campaignId": "", "utmCampaign": "", "utmSource": "", "utmMedium": "", "utmContent": "", "utmTerm": "",
            "sessionId": "s", "sessionNum": 1, "engagementMs": 0,
        })
    }

    #[test]
    fn each_kind_reads_and_writes_as_the_page_sends_it() {
        let own = [
            json!({"type": "page-view", "name": "pageView", "title": "t", "path": "/", "referrerUrl": "", "locale": "en-US",
                   "additionalInfo": {"standalone": true}}),
            json!({"type": "click", "name": "click", "element": "pay"}),
            json!({"type": "experiment-viewed", "name": "ExperimentViewed", "experimentId": "e", "variationId": 1,
                   "variationKey": "treatment"}),
            json!({"type": "custom", "name": "field_error", "data": {"elapsed_ms": 7, "field": "card-number"}}),
            json!({"type": "identify", "name": "identify", "deviceId": "d", "anonymousId": "a", "cookieId": "c"}),
            json!({"type": "session", "name": "sessionStart"}),
        ];
        for mut event in own {
            let fields = event.as_object_mut().unwrap();
            fields.insert("id".into(), json!("i"));
            fields.insert("at".into(), json!(1));
            fields.insert("visit".into(), json!("v"));
            fields.insert("metadata".into(), metadata());
            let read: Event = serde_json::from_value(event.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), event);
        }
    }

    #[test]
    fn an_event_of_another_namespace_is_refused() {
        assert!(serde_json::from_value::<EventNamespace>(json!("shop")).is_err());
    }
}
