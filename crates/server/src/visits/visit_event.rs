//! Reads from one event what the operator's report tells of its visit. Whoever can reach the service can send events, so
//! nothing of one gets in but known words, bounded ids and numbers.

use std::borrow::Cow;

use rules::{Brand, ErrorId, Field};
use serde::Deserialize;
use uuid::Uuid;
use wire::{DeclineCode, VisitStep};

use store::{LatestWord, Visit};

/// The longest experiment's key, in bytes.
const EXPERIMENT_BYTES_MAX: usize = 100;
/// The most digits in it: dates and ticket numbers have fewer, card numbers more.
const EXPERIMENT_DIGITS_MAX: usize = 11;
/// The highest index of a variation.
const VARIATION_MAX: i64 = 31;
/// A UUID as browsers write it, in bytes.
const UUID_BYTES: usize = 36;
/// The end of browsers' time, in milliseconds since 1970.
const TIME_MAX: u64 = 8_640_000_000_000_000;

/// The fields of the form by their ids (docs/form.md#element-ids), and the saved card's one.
const FIELDS: [&str; 6] = [
    Field::CardNumber.id(),
    Field::Expiry.id(),
    Field::SecurityCode.id(),
    Field::HolderName.id(),
    Field::HolderEmail.id(),
    "saved-card-security-code",
];
/// The ways to pay.
const METHODS: [&str; 2] = ["new_card", "saved_card"];

/// What one event tells of its visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitEvent {
    /// The page load.
    pub visit: Uuid,
    /// In milliseconds of the browser's clock.
    at: i64,
    fact: VisitFact,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum VisitFact {
    /// That it is there.
    Seen,
    Viewed {
        locale: &'static str,
    },
    Saw {
        experiment: String,
        variation: i64,
    },
    Came(VisitStep),
    InField(&'static str, VisitStep),
    Brand(&'static str),
    Error(&'static str),
    Chose(&'static str, VisitStep),
    Declined(&'static str),
}

/// The parts of an event that say something of the visit; the rest is not even read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageEvent<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
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
    /// What the event, as it was sent, tells; `None` for what is no event of a visit.
    pub fn read(event: &str) -> Option<Self> {
        let event: PageEvent<'_> = serde_json::from_str(event).ok()?;
        if event.visit.len() != UUID_BYTES {
            return None;
        }
        let visit = Uuid::try_parse(&event.visit).ok()?;
        // 0 is for what was never told.
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

    /// The experiment that it tells of.
    pub fn experiment(&self) -> Option<&str> {
        match &self.fact {
            VisitFact::Saw { experiment, .. } => Some(experiment),
            _ => None,
        }
    }

    /// The same without what it tells of an experiment.
    #[must_use]
    pub fn without_experiment(mut self) -> Self {
        if matches!(self.fact, VisitFact::Saw { .. }) {
            self.fact = VisitFact::Seen;
        }
        self
    }

    /// Adds what is told to the visit. The order does not matter, nor that something is told twice.
    pub fn add_to(self, visit: &mut Visit) {
        let latest = |word| LatestWord { at: self.at, word };
        let mut came = |step: VisitStep| visit.step = visit.step.max(step);
        match self.fact {
            VisitFact::Seen | VisitFact::Viewed { locale: "" } => {}
            VisitFact::Viewed { locale } => visit.locale.merge(latest(locale)),
            VisitFact::Saw {
                experiment,
                variation,
            } => {
                let lowest = visit.variations.entry(experiment).or_insert(variation);
                *lowest = variation.min(*lowest);
            }
            VisitFact::Came(step) => came(step),
            VisitFact::InField(field, step) => {
                came(step);
                visit.field.merge(latest(field));
            }
            VisitFact::Brand(brand) => {
                came(VisitStep::Started);
                visit.brand.merge(latest(brand));
            }
            VisitFact::Error(error) => visit.error.merge(latest(error)),
            VisitFact::Chose(method, step) => {
                came(step);
                visit.method.merge(latest(method));
            }
            VisitFact::Declined(code) => {
                came(VisitStep::Submitted);
                visit.decline.merge(latest(code));
            }
        }
    }
}

/// What one of the product's own events tells, by its name.
fn custom(name: &str, data: &VisitEventData) -> VisitFact {
    let word = |given: &Option<String>, words: &[&'static str]| {
        let given = given.as_deref()?;
        words.iter().copied().find(|word| *word == given)
    };
    let field = word(&data.field, &FIELDS);
    match name {
        "field_focus" | "field_input" => match field {
            Some(field) => VisitFact::InField(field, VisitStep::Started),
            None => VisitFact::Came(VisitStep::Started),
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
        "saved_card_selected" => VisitFact::Chose("saved_card", VisitStep::Started),
        "new_card_chosen" => VisitFact::Chose("new_card", VisitStep::Started),
        // Whether everything was filled in is told by who leaves; who submits has filled it in.
        "page_left" if data.ready == Some(true) => match field {
            Some(field) => VisitFact::InField(field, VisitStep::Ready),
            None => VisitFact::Came(VisitStep::Ready),
        },
        "page_left" => field.map_or(VisitFact::Seen, |field| {
            VisitFact::InField(field, VisitStep::Started)
        }),
        "submit_invoked" => match word(&data.method, &METHODS) {
            Some(method) => VisitFact::Chose(method, VisitStep::Submitted),
            None => VisitFact::Came(VisitStep::Submitted),
        },
        "submit_fail" => match data.decline_code.as_deref() {
            Some(code) => VisitFact::Declined(DeclineCode::from_code(code).as_str()),
            None => VisitFact::Came(VisitStep::Submitted),
        },
        "submit_success" => VisitFact::Came(VisitStep::Paid),
        _ => VisitFact::Seen,
    }
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
            // A card number is no name.
            && id.bytes().filter(u8::is_ascii_digit).count() <= EXPERIMENT_DIGITS_MAX
    })?;
    (variation <= VARIATION_MAX).then_some(VisitFact::Saw {
        experiment,
        variation,
    })
}

#[cfg(test)]
mod tests;
