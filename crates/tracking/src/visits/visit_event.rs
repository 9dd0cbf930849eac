//! Reads the part of a visit that one event reports, for the operator's report. Any client that can reach the service can
//! send events, so only known words, short ids and numbers are read.

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

/// The fields of a saved card, as events name them.
const SAVED_CARD_FIELDS: [&str; 2] = ["saved-card-security-code", "saved-card-expiry"];
/// The ways to pay.
const METHODS: [&str; 2] = ["new_card", "saved_card"];

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

/// Reads an event as it was sent: its type for the metrics, and the part of its visit that it reports, if it belongs to
/// one. Parts can be merged in any order and more than once.
pub(crate) fn read_event(event: &str) -> (&'static str, Option<(Uuid, Visit)>) {
    let Ok(event) = serde_json::from_str::<PageEvent<'_>>(event) else {
        return (OTHER_TYPE, None);
    };
    let known = TYPES.into_iter().find(|known| *known == event.r#type);
    (known.unwrap_or(OTHER_TYPE), part_of_visit(event))
}

fn part_of_visit(event: PageEvent<'_>) -> Option<(Uuid, Visit)> {
    if event.visit.len() != UUID_BYTES {
        return None;
    }
    let id = Uuid::try_parse(&event.visit).ok()?;
    // 0 stands for a value that was never set.
    let at = i64::try_from(event.at.clamp(1, TIME_MAX)).ok()?;
    // The node's clock decides when the visit began, not the browser's.
    let mut part = Visit::new(i64::MAX);
    match &*event.r#type {
        "page-view" => {
            let locale = event.locale.as_deref().and_then(rules::locale::by_code);
            part.locale = latest(at, locale.map(|locale| locale.code));
        }
        "experiment-viewed" => {
            part.variations
                .extend(variation(event.experiment_id, event.variation_id));
        }
        "custom" => add_custom(&mut part, &event.name, &event.data.unwrap_or_default(), at),
        _ => {}
    }
    Some((id, part))
}

/// Adds what one of the form's own events reports.
fn add_custom(part: &mut Visit, name: &str, data: &VisitEventData, at: i64) {
    let field = field_named(data.field.as_deref());
    match name {
        "field_focus" | "field_input" => {
            part.step = VisitStep::Started;
            part.field = latest(at, field);
        }
        "field_error" => {
            let sent = data.error_id.as_deref();
            let error = ErrorId::ALL.iter().find(|id| Some(id.as_str()) == sent);
            part.error = latest(at, error.map(|error| error.as_str()));
        }
        "brand_detected" => {
            if let Some(brand) = data.brand.as_deref().and_then(Brand::from_name) {
                part.step = VisitStep::Started;
                part.brand = latest(at, Some(brand.name()));
            }
        }
        "saved_card_selected" | "new_card_chosen" => {
            let is_saved = name == "saved_card_selected";
            part.step = VisitStep::Started;
            part.method = latest(at, Some(if is_saved { "saved_card" } else { "new_card" }));
        }
        "page_left" => {
            // This event reports whether the form was ready; in a visit that submits, the submit implies it.
            part.step = match field {
                _ if data.ready == Some(true) => VisitStep::Ready,
                Some(_) => VisitStep::Started,
                None => VisitStep::Viewed,
            };
            part.field = latest(at, field);
        }
        "submit_invoked" => {
            let sent = data.method.as_deref();
            part.step = VisitStep::Submitted;
            part.method = latest(at, METHODS.into_iter().find(|method| Some(*method) == sent));
        }
        "submit_fail" => {
            let code = data.decline_code.as_deref().map(DeclineCode::from_code);
            part.step = VisitStep::Submitted;
            part.decline = latest(at, code.map(DeclineCode::as_str));
        }
        "submit_success" => part.step = VisitStep::Paid,
        _ => {}
    }
}

fn latest(at: i64, word: Option<&'static str>) -> LatestWord {
    word.map_or(LatestWord::default(), |word| LatestWord { at, word })
}

/// The field with this id: one of the form's, or one of a saved card.
fn field_named(id: Option<&str>) -> Option<&'static str> {
    let ids = Field::ALL.map(Field::id).into_iter().chain(SAVED_CARD_FIELDS);
    ids.into_iter().find(|known| Some(*known) == id)
}

fn variation(experiment: Option<String>, variation: Option<u32>) -> Option<(String, i64)> {
    let variation = i64::from(variation?);
    let experiment = experiment.filter(|id| {
        (1..=EXPERIMENT_BYTES_MAX).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'))
            // A card number is not an experiment's key.
            && id.bytes().filter(u8::is_ascii_digit).count() <= EXPERIMENT_DIGITS_MAX
    })?;
    (variation <= VARIATION_MAX).then_some((experiment, variation))
}

#[cfg(test)]
mod tests;
