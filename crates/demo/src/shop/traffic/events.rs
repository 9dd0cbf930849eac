//! The events of a simulated visit: collected, and sent in batches as the page sends them.

use protocol::{
    Event, EventBatch, EventData, EventKind, EventMetadata, EventNamespace, EventRecord, EventValue,
};
use serde_json::Number;
use uuid::Uuid;

use super::visit_plan::VisitPlan;

/// The experiment that simulated shoppers are in.
pub(super) const EXPERIMENT: &str = "pop-646-card-form-ui-redesign";

/// The events of a visit that were not sent yet.
pub(super) struct PendingEvents {
    visit: String,
    metadata: EventMetadata,
    began_at: u64,
    records: Vec<EventRecord>,
}

impl PendingEvents {
    /// The first events of a visit that begins at `now`, in milliseconds since 1970, on the page at `origin`.
    pub(super) fn new(plan: &VisitPlan, origin: &str, now: u64) -> Self {
        let (os, browser) = if plan.is_on_phone {
            ("Android", "Chrome")
        } else {
            ("Windows", "Firefox")
        };
        let host = origin.split("//").nth(1).unwrap_or_default();
        let metadata = EventMetadata {
            namespace: EventNamespace::Pay,
            coda_cookie_id: Uuid::new_v4().to_string(),
            full_url: format!("{origin}/{}", plan.country.locale),
            ip: String::new(),
            library_version: env!("CARGO_PKG_VERSION").to_owned(),
            domain_name: host.split(':').next().unwrap_or_default().to_owned(),
            user_agent: "Cardform demo".to_owned(),
            os: os.to_owned(),
            mobile: plan.is_on_phone,
            browser: browser.to_owned(),
            cid: String::new(),
            campaign_id: String::new(),
            utm_campaign: String::new(),
            utm_source: String::new(),
            utm_medium: String::new(),
            utm_content: String::new(),
            utm_term: String::new(),
            session_id: Uuid::new_v4().to_string(),
            session_num: 1,
            engagement_ms: 0,
            attributes: None,
        };
        let mut events = Self {
            visit: Uuid::new_v4().to_string(),
            metadata,
            began_at: now,
            records: Vec::new(),
        };
        events.push(now, "sessionStart", EventKind::Session);
        let view = EventKind::PageView {
            title: "Pay".to_owned(),
            path: format!("/{}", plan.country.locale),
            referrer_url: String::new(),
            locale: plan.country.locale.to_owned(),
            additional_info: EventData::new(),
        };
        events.push(now, "pageView", view);
        let seen = EventKind::ExperimentViewed {
            experiment_id: EXPERIMENT.to_owned(),
            variation_id: plan.variation,
            variation_key: plan.variation.to_string(),
        };
        events.push(now, "ExperimentViewed", seen);
        events
    }

    /// Adds one of the product's own events, with these texts.
    pub(super) fn custom(&mut self, now: u64, name: &str, words: &[(&str, &str)]) {
        let words = words
            .iter()
            .map(|(name, word)| ((*name).to_owned(), EventValue::Text((*word).to_owned())));
        self.add_custom(now, name, words.collect());
    }

    /// Adds the event that the shopper leaves.
    pub(super) fn left(&mut self, now: u64, field: &str, ready: bool) {
        let data = [
            ("field".to_owned(), EventValue::Text(field.to_owned())),
            ("ready".to_owned(), EventValue::Flag(ready)),
        ];
        self.add_custom(now, "page_left", data.into());
    }

    /// The events that were not sent yet, as the body of a request; `None` if there are none.
    pub(super) fn batch(&mut self) -> Option<EventBatch> {
        let records = std::mem::take(&mut self.records);
        (!records.is_empty()).then_some(EventBatch { records })
    }

    fn add_custom(&mut self, now: u64, name: &str, mut data: EventData) {
        let elapsed = Number::from(now.saturating_sub(self.began_at));
        data.insert("elapsed_ms".to_owned(), EventValue::Number(elapsed));
        self.push(now, name, EventKind::Custom { data });
    }

    fn push(&mut self, now: u64, name: &str, kind: EventKind) {
        let mut metadata = self.metadata.clone();
        metadata.engagement_ms = now.saturating_sub(self.began_at);
        self.records.push(EventRecord {
            key: self.visit.clone(),
            value: Event {
                name: name.to_owned(),
                id: Uuid::new_v4().to_string(),
                at: now,
                visit: self.visit.clone(),
                metadata,
                kind,
            },
        });
    }
}
