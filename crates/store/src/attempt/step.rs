//! The steps of an attempt besides its states: calls to the provider and what the shopper did, for the charge's story.
//! A step is a line of fixed words and numbers in a column of the attempt.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::super::sql::query;
use super::super::{Store, StoreError};

/// When the steps of an attempt have this many bytes, repeated steps without news are no longer written, because a
/// provider that is down for hours is asked thousands of times.
pub(crate) const STEPS_BYTES_MAX: usize = 2_000;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum StepKind {
    /// The provider was asked to prepare the payment.
    Prepare,
    /// The provider was asked to make the payment.
    Charge,
    /// The provider was asked for the outcome of the payment.
    Lookup,
    /// The provider was asked to give the payment up.
    GiveUp,
    /// The shopper came back from the 3-D Secure challenge.
    ShopperReturned,
    /// The shopper closed the 3-D Secure challenge.
    ShopperCanceled,
    /// The time for the 3-D Secure challenge was over.
    ShopperTimedOut,
    /// An approval came after the attempt had been given up.
    ApprovedLate,
    /// An approval came after the attempt had been given up and the charge was paid or ended otherwise: a person must refund
    /// it.
    ApprovedTooLate,
    /// The attempt was found in the provider's list of payments after an earlier database was restored.
    BroughtBack,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptStep {
    /// When it ended, in unix milliseconds.
    pub at: i64,
    /// What was done.
    pub what: StepKind,
    /// The result: one fixed word, or empty.
    pub result: Cow<'static, str>,
    /// How long it took, in milliseconds.
    pub took_ms: i64,
}

impl AttemptStep {
    /// A step that takes no time and has no result.
    pub fn moment(what: StepKind, at: i64) -> Self {
        Self {
            at,
            what,
            result: Cow::Borrowed(""),
            took_ms: 0,
        }
    }
}

/// The steps as lines of the column.
pub(crate) fn lines(steps: &[AttemptStep]) -> String {
    let mut text = String::with_capacity(steps.len() * 48);
    for step in steps {
        let what: &'static str = step.what.into();
        let result = if step.result.is_empty() { "-" } else { &step.result };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{} {what} {result} {}", step.at, step.took_ms);
    }
    text
}

/// The steps that the column holds. A line that this version does not know is left out.
pub(crate) fn read(lines: &str) -> Vec<AttemptStep> {
    lines.lines().filter_map(read_line).collect()
}

fn read_line(line: &str) -> Option<AttemptStep> {
    let mut words = line.split(' ');
    Some(AttemptStep {
        at: words.next()?.parse().ok()?,
        what: words.next()?.parse().ok()?,
        result: words
            .next()
            .map(|word| if word == "-" { "" } else { word })?
            .to_owned()
            .into(),
        took_ms: words.next()?.parse().ok()?,
    })
}

/// The column with this parameter's lines added, unless it is full.
pub(crate) fn added_unless_full(parameter: &str) -> String {
    format!("steps = CASE WHEN LENGTH(steps) < {STEPS_BYTES_MAX} THEN steps || {parameter} ELSE steps END")
}

impl Store {
    /// Adds steps that change nothing else, unless the attempt has many already.
    pub async fn add_steps(&self, attempt_id: &str, steps: &[AttemptStep]) -> Result<(), StoreError> {
        query(format!(
            "UPDATE attempts SET {} WHERE id = $2",
            added_unless_full("$1")
        ))
        .bind(lines(steps))
        .bind(attempt_id)
        .write(&self.writer)
        .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
