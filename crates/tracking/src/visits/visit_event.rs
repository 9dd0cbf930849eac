//! Reads what one event says about its visit, for the operator's report. Anybody who can reach the service can send
//! events, so only known words, short ids and numbers are taken from them.

use std::borrow::Cow;

use protocol::{DeclineCode, VisitStep};
use rules::{Brand, ErrorId, Field};
use serde::Deserialize;
use uuid::Uuid;

use store::{LatestWord, Visit};

/// The known types of events.
const TYPES: [&str; 6] = [
    "page-view",
    "click",
    "experiment-viewed",
    "custom",
    "identify",
    "session",
];
/// The type of any other event, and of one that cannot be read.
const OTHER_TYPE: &str = "other";
/// The longest key of an experiment, in bytes.
const EXPERIMENT_BYTES_MAX: usize = 100;
/// The most digits in such a key: dates and ticket numbers have fewer, card numbers have more.
const EXPERIMENT_DIGITS_MAX: usize = 11;
/// The highest number of a variation.
const VARIATION_MAX: i64 = 31;
/// The length of a UUID as browsers write it, in bytes.
const UUID_BYTES: usize = 36;
/// The latest time of JavaScript's clock, in milliseconds since 1970.
const TIME_MAX: u64 = 8_640_000_000_000_000;

/// The security code of a saved card, as events name it.
const SAVED_CARD_FIELD: &str = "saved-card-security-code";
/// The ways to pay.
const METHODS: [&str; 2] = ["new_card", "saved_card"];

/// What one event says about its visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitEvent {
    /// The visit's id; each page load is a visit.
    pub visit: Uuid,
    /// The time by the browser's clock, in milliseconds.
    at: i64,
    fact: VisitFact,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum VisitFact {
    /// Only that the visit exists.
    Seen,
    Viewed {
        locale: &'static str,
    },
    Experiment {
        experiment: String,
        variation: i64,
    },
    Step(VisitStep),
    Field(&'static str, VisitStep),
    Brand(&'static str),
    Error(&'static str),
    Method(&'static str, VisitStep),
    Declined(&'static str),
}

/// The parts of an event that are used; the rest is not parsed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageEvent<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    visit: Cow<'a, str>,
    #[serde(default)]
    at: u64,
    locale: Option<String>,
    experiment_id: Option<String>,
    variation_id: Option<u32>,
    data: Option<VisitEventData>,
}

#[derive(Default, Deserialize)]
struct VisitEventData {
    field: Option<String>,
    error_id: Option<String>,
    brand: Option<String>,
    method: Option<String>,
    decline_code: Option<String>,
    ready: Option<bool>,
}

impl VisitEvent {
    /// Reads an event as it was sent: its type for the metrics, and what it says about its visit, if it belongs to one.
    pub fn read(event: &str) -> (&'static str, Option<Self>) {
        let Ok(event) = serde_json::from_str::<PageEvent<'_>>(event) else {
            return (OTHER_TYPE, None);
        };
        let known = TYPES.into_iter().find(|known| *known == event.r#type);
        (known.unwrap_or(OTHER_TYPE), Self::of(event))
    }

    fn of(event: PageEvent<'_>) -> Option<Self> {
        if event.visit.len() != UUID_BYTES {
            return None;
        }
        let visit = Uuid::try_parse(&event.visit).ok()?;
        // 0 stands for a value that was never set.
        let at = i64::try_from(event.at.clamp(1, TIME_MAX)).ok()?;
        let fact = match &*event.r#type {
            "page-view" => VisitFact::Viewed {
                locale: event.locale.as_deref().map_or("", locale),
            },
            "experiment-viewed" => {
                variation(event.experiment_id, event.variation_id).unwrap_or(VisitFact::Seen)
            }
            "custom" => custom(&event.name, &event.data.unwrap_or_default()),
            _ => VisitFact::Seen,
        };
        Some(Self { visit, at, fact })
    }

    /// The experiment that the event names.
    pub fn experiment(&self) -> Option<&str> {
        match &self.fact {
            VisitFact::Experiment { experiment, .. } => Some(experiment),
            _ => None,
        }
    }

    /// The same event without the experiment.
    #[must_use]
    pub fn without_experiment(mut self) -> Self {
        if matches!(self.fact, VisitFact::Experiment { .. }) {
            self.fact = VisitFact::Seen;
        }
        self
    }

    /// Adds the event to the visit. Order and repetition do not change the result.
    pub fn add_to(self, visit: &mut Visit) {
        let latest = |word| LatestWord { at: self.at, word };
        let mut reach = |step: VisitStep| visit.step = visit.step.max(step);
        match self.fact {
            VisitFact::Seen | VisitFact::Viewed { locale: "" } => {}
            VisitFact::Viewed { locale } => visit.locale.merge(latest(locale)),
            VisitFact::Experiment {
                experiment,
                variation,
            } => {
                let lowest = visit.variations.entry(experiment).or_insert(variation);
                *lowest = variation.min(*lowest);
            }
            VisitFact::Step(step) => reach(step),
            VisitFact::Field(field, step) => {
                reach(step);
                visit.field.merge(latest(field));
            }
            VisitFact::Brand(brand) => {
                reach(VisitStep::Started);
                visit.brand.merge(latest(brand));
            }
            VisitFact::Error(error) => visit.error.merge(latest(error)),
            VisitFact::Method(method, step) => {
                reach(step);
                visit.method.merge(latest(method));
            }
            VisitFact::Declined(code) => {
                reach(VisitStep::Submitted);
                visit.decline.merge(latest(code));
            }
        }
    }
}

/// What one of the form's own events says, by its name.
fn custom(name: &str, data: &VisitEventData) -> VisitFact {
    let field = field_named(data.field.as_deref());
    match name {
        "field_focus" | "field_input" => match field {
            Some(field) => VisitFact::Field(field, VisitStep::Started),
            None => VisitFact::Step(VisitStep::Started),
        },
        "field_error" => {
            let fact = data.error_id.as_deref();
            let error = ErrorId::ALL.iter().find(|id| Some(id.as_str()) == fact);
            error.map_or(VisitFact::Seen, |error| VisitFact::Error(error.as_str()))
        }
        "brand_detected" => {
            let brand = data.brand.as_deref().and_then(Brand::from_name);
            brand.map_or(VisitFact::Seen, |brand| VisitFact::Brand(brand.name()))
        }
        "saved_card_selected" => VisitFact::Method("saved_card", VisitStep::Started),
        "new_card_chosen" => VisitFact::Method("new_card", VisitStep::Started),
        // This event reports whether the form was ready; in a visit that submits, the submit implies it.
        "page_left" if data.ready == Some(true) => match field {
            Some(field) => VisitFact::Field(field, VisitStep::Ready),
            None => VisitFact::Step(VisitStep::Ready),
        },
        "page_left" => field.map_or(VisitFact::Seen, |field| {
            VisitFact::Field(field, VisitStep::Started)
        }),
        "submit_invoked" => match METHODS
            .into_iter()
            .find(|method| data.method.as_deref() == Some(*method))
        {
            Some(method) => VisitFact::Method(method, VisitStep::Submitted),
            None => VisitFact::Step(VisitStep::Submitted),
        },
        "submit_fail" => match data.decline_code.as_deref() {
            Some(code) => VisitFact::Declined(DeclineCode::from_code(code).as_str()),
            None => VisitFact::Step(VisitStep::Submitted),
        },
        "submit_success" => VisitFact::Step(VisitStep::Paid),
        _ => VisitFact::Seen,
    }
}

/// The field with this id: one of the form's, or the security code of a saved card.
fn field_named(id: Option<&str>) -> Option<&'static str> {
    let ids = Field::ALL.map(Field::id).into_iter().chain([SAVED_CARD_FIELD]);
    ids.into_iter().find(|known| Some(*known) == id)
}

fn locale(code: &str) -> &'static str {
    rules::locale::by_code(code).map_or("", |locale| locale.code)
}

fn variation(experiment: Option<String>, variation: Option<u32>) -> Option<VisitFact> {
    let variation = i64::from(variation?);
    let experiment = experiment.filter(|id| {
        (1..=EXPERIMENT_BYTES_MAX).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'))
            // A card number is not an experiment's key.
            && id.bytes().filter(u8::is_ascii_digit).count() <= EXPERIMENT_DIGITS_MAX
    })?;
    (variation <= VARIATION_MAX).then_some(VisitFact::Experiment {
        experiment,
        variation,
    })
}

#[cfg(test)]
mod tests;
