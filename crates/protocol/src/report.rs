//! `GET /v1/operator/report`: visits and charges for the operator. The report has only counts and fixed words, and no
//! data of a shopper, a card or a merchant.

use serde::{Deserialize, Serialize};
use strum::VariantArray;
use ts_rs::TS;

/// The last step that a visit reached. Later steps compare greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
#[derive(Hash, strum::VariantArray)]
pub enum VisitStep {
    /// The page was opened.
    Viewed,
    /// The shopper focused a field or chose a card.
    Started,
    /// All fields were filled in.
    Ready,
    /// The shopper pressed the pay button.
    Submitted,
    /// The charge was paid.
    Paid,
}

impl VisitStep {
    /// Every step, the first one first.
    pub const ALL: &[Self] = Self::VARIANTS;
}

/// The report of a range of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Report {
    /// The start of the range, in milliseconds since 1970.
    pub from: i64,
    /// The end of the range, which is not in it.
    pub to: i64,
    /// Visits that began in the range.
    pub visits: VisitReport,
    /// Each experiment that these visits saw.
    pub experiments: Vec<ExperimentReport>,
    /// Charges that were created in the range, by their present outcome. They have no locale.
    pub charges: ChargeReport,
    /// The period of the same length that ends at the start of the range.
    pub before: PeriodBefore,
    /// The lengths of the queues now, independent of the range.
    pub now: QueueLengths,
    /// The source of the range's figures. The lengths of the queues are always read from the primary database.
    pub source: ReportSource,
}

/// The source of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReportSource {
    /// The database.
    pub database: ReportDatabase,
    /// How far the replica was behind, in milliseconds, if the replica knows it.
    pub lag_ms: Option<i64>,
}

/// A database that a report can be read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum ReportDatabase {
    /// The primary database.
    Primary,
    /// The primary database, because the configured replica is unavailable.
    Fallback,
    /// The replica.
    Replica,
}

/// The steps that visits reached, and where visits without a payment ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct VisitReport {
    /// How many visits reached each step.
    pub funnel: Funnel,
    /// Visits that started and did not submit, by the last focused field; the name is empty if no field is known.
    pub left_at_field: Vec<NamedCount>,
    /// Visits that started and did not submit, by the last error; without visits that saw no error.
    pub left_after_error: Vec<NamedCount>,
    /// Visits that submitted and did not pay, by the last decline; the name is empty if no decline is known.
    pub left_after_decline: Vec<NamedCount>,
    /// Visits by the page's locale.
    pub locales: Vec<NamedFunnel>,
    /// Visits by the last detected brand; without visits in which no brand was detected.
    pub brands: Vec<NamedFunnel>,
    /// Visits by new card or saved card; without visits in which neither was chosen.
    pub methods: Vec<NamedFunnel>,
}

/// How many visits reached each step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Funnel {
    /// All visits.
    pub viewed: i64,
    /// Visits that focused a field or chose a card.
    pub started: i64,
    /// Visits that filled in all fields.
    pub ready: i64,
    /// Visits that pressed the pay button.
    pub submitted: i64,
    /// Visits that paid.
    pub paid: i64,
}

impl Funnel {
    /// Adds visits whose last step is `step`.
    pub fn add(&mut self, step: VisitStep, visits: i64) {
        let steps = [
            &mut self.viewed,
            &mut self.started,
            &mut self.ready,
            &mut self.submitted,
            &mut self.paid,
        ];
        for (reached, count) in VisitStep::ALL.iter().zip(steps) {
            if *reached <= step {
                *count += visits;
            }
        }
    }
}

/// The number of visits with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NamedCount {
    /// A field, an error id or a decline code.
    pub name: String,
    /// The number of visits.
    pub visits: i64,
}

/// The funnel of the visits with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NamedFunnel {
    /// A locale, a brand or a method.
    pub name: String,
    /// How many of the visits reached each step.
    pub funnel: Funnel,
}

/// The variations of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ExperimentReport {
    /// The experiment's key.
    pub experiment_id: String,
    /// The variations, in the order of their indexes.
    pub variations: Vec<VariationReport>,
}

/// The visits that saw a variation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct VariationReport {
    /// The variation's index; 0 is the control.
    pub variation_id: i64,
    /// How many of the visits reached each step.
    pub funnel: Funnel,
    /// The share of the visits that paid.
    pub conversion: Conversion,
}

/// A share with its confidence interval: Wilson's, at 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
pub struct Conversion {
    /// 0 to 1.
    pub rate: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

/// Charges over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChargeReport {
    /// The length of each bucket, in milliseconds.
    pub bucket_ms: i64,
    /// Every bucket of the range, also the empty ones. The first bucket may begin before the range, but does not count
    /// charges from before it.
    pub buckets: Vec<ChargeBucket>,
    /// The sum of all buckets.
    pub total: ChargeOutcomes,
    /// The paid amounts, the currency with the most charges first.
    pub money: Vec<Money>,
    /// The declined charges by decline code.
    pub declines: Vec<NamedCharges>,
}

/// The figures of the period before, for comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PeriodBefore {
    /// The start of the period, in milliseconds since 1970.
    pub from: i64,
    /// How many visits of the period reached each step.
    pub funnel: Funnel,
    /// The present outcomes of the period's charges.
    pub total: ChargeOutcomes,
    /// The paid amounts of the period.
    pub money: Vec<Money>,
}

/// The amount that was paid in one currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Money {
    /// ISO 4217: "USD".
    pub currency: String,
    /// A decimal string in the currency's major unit: "1234.50".
    pub amount: String,
    /// The number of paid charges.
    pub charges: i64,
}

/// The charges that were created in a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChargeBucket {
    /// The start of the bucket, in milliseconds since 1970.
    pub at: i64,
    /// The present outcomes of its charges.
    pub outcomes: ChargeOutcomes,
}

/// The number of charges with each outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChargeOutcomes {
    /// Paid.
    pub succeeded: i64,
    /// The last card was declined.
    pub declined: i64,
    /// The payment is at the provider or at the shopper's bank.
    pub under_way: i64,
    /// The provider's answer was lost, and the outcome is not known yet.
    pub unknown: i64,
    /// No card was tried, or the charge was canceled or has expired.
    pub unpaid: i64,
}

/// The number of charges with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NamedCharges {
    /// A decline code.
    pub name: String,
    /// The number of charges.
    pub charges: i64,
}

/// The lengths of the queues, and the number of lost events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QueueLengths {
    /// Webhook events that merchants have not accepted yet.
    pub webhooks_waiting: i64,
    /// The time since which the oldest of these events waits, in milliseconds since 1970.
    pub webhooks_waiting_since: Option<i64>,
    /// Attempts to pay whose outcome is not known yet.
    pub attempts_open: i64,
    /// Events that this node lost since it started.
    pub events_dropped: i64,
}
