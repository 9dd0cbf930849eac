//! `GET /v1/operator/report`: visits and charges for the operator. It has counts and fixed words only, and nothing of a
//! shopper, a card or a merchant.

use serde::{Deserialize, Serialize};

/// How far a visit came; each step is behind the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum VisitStep {
    /// The page was opened.
    Viewed,
    /// The shopper came into a field or chose a card.
    Started,
    /// Everything was filled in.
    Ready,
    /// The shopper paid, or tried to.
    Submitted,
    /// It was paid.
    Paid,
}

impl VisitStep {
    /// All of them, the first one first.
    pub const ALL: [Self; 5] = [
        Self::Viewed,
        Self::Started,
        Self::Ready,
        Self::Submitted,
        Self::Paid,
    ];
}

/// Everything that is told of a range of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Report {
    /// When the range begins, in milliseconds since 1970.
    pub from: i64,
    /// When it ends; not a part of it.
    pub to: i64,
    /// Visits that first came in the range.
    pub visits: VisitReport,
    /// Each experiment that visits of the range saw.
    pub experiments: Vec<ExperimentReport>,
    /// Charges that were made in the range, by where they stand now. They have no locale.
    pub charges: ChargeReport,
    /// The period of the same length that ended where the range begins.
    pub before: PeriodBefore,
    /// How things stand now, whatever the range.
    pub now: QueueLengths,
    /// Where the figures of the range were read; those of now are always the database's own.
    pub source: ReportSource,
}

/// Where a report was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReportSource {
    /// The database.
    pub database: ReportDatabase,
    /// How far a replica was behind, in milliseconds, if it knows.
    pub lag_ms: Option<i64>,
}

/// A database that a report can be read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ReportDatabase {
    /// The database itself.
    Primary,
    /// The database itself, because the replica of the settings cannot be read.
    Fallback,
    /// The replica.
    Replica,
}

/// How far visits came, and where those that did not pay stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VisitReport {
    /// How many came as far as each step or further.
    pub funnel: Funnel,
    /// Visits that started and did not submit, by the last field they were in; the name is empty if no field is known.
    pub left_at_field: Vec<NamedCount>,
    /// The same visits, by the last error they saw; those that saw one.
    pub left_after_error: Vec<NamedCount>,
    /// Visits that submitted and did not pay, by the last decline; the name is empty if no decline is known.
    pub left_after_decline: Vec<NamedCount>,
    /// By the page's locale.
    pub locales: Vec<NamedFunnel>,
    /// By the last brand that was detected; without those where none was.
    pub brands: Vec<NamedFunnel>,
    /// By new card or saved card, of those that chose.
    pub methods: Vec<NamedFunnel>,
}

/// How many visits came as far as each step or further.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Funnel {
    /// All of them.
    pub viewed: i64,
    /// Of these, how many came into a field or chose a card.
    pub started: i64,
    /// Of these, how many filled everything in.
    pub ready: i64,
    /// Of these, how many paid or tried to.
    pub submitted: i64,
    /// Of these, how many paid.
    pub paid: i64,
}

impl Funnel {
    /// Adds visits that came as far as `step` and no further.
    pub fn add(&mut self, step: VisitStep, visits: i64) {
        let steps = [
            &mut self.viewed,
            &mut self.started,
            &mut self.ready,
            &mut self.submitted,
            &mut self.paid,
        ];
        for (reached, count) in VisitStep::ALL.into_iter().zip(steps) {
            if reached <= step {
                *count += visits;
            }
        }
    }
}

/// So many visits with this word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NamedCount {
    /// A field, an error id or a decline code.
    pub name: String,
    /// How many.
    pub visits: i64,
}

/// The funnel of the visits with this word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NamedFunnel {
    /// A locale, a brand or a method.
    pub name: String,
    /// How far they came.
    pub funnel: Funnel,
}

/// An experiment's variations beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExperimentReport {
    /// The experiment's key.
    pub experiment_id: String,
    /// In the order of their index.
    pub variations: Vec<VariationReport>,
}

/// What became of the visits that saw a variation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VariationReport {
    /// Its index; 0 is the control.
    pub variation_id: i64,
    /// How far the visits came.
    pub funnel: Funnel,
    /// Paid of viewed.
    pub conversion: Conversion,
}

/// A share with the interval that it is known to: Wilson's, at 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Conversion {
    /// 0 to 1.
    pub rate: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

/// Charges over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChargeReport {
    /// How long each bucket is, in milliseconds.
    pub bucket_ms: i64,
    /// Every bucket of the range, the empty ones too. The first may begin before the range, with none before it counted.
    pub buckets: Vec<ChargeBucket>,
    /// All of them together.
    pub total: ChargeOutcomes,
    /// What the paid ones come to, the currency with the most charges first.
    pub money: Vec<Money>,
    /// The declined ones by why.
    pub declines: Vec<NamedCharges>,
}

/// The period before, in as few figures as one compares with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PeriodBefore {
    /// When it begins, in milliseconds since 1970.
    pub from: i64,
    /// How far its visits came.
    pub funnel: Funnel,
    /// Where its charges stand now.
    pub total: ChargeOutcomes,
    /// What its paid charges come to.
    pub money: Vec<Money>,
}

/// What was paid in one currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Money {
    /// ISO 4217: "USD".
    pub currency: String,
    /// A decimal string in the currency's major unit: "1234.50".
    pub amount: String,
    /// How many charges paid it.
    pub charges: i64,
}

/// The charges that were made in a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChargeBucket {
    /// When it begins, in milliseconds since 1970.
    pub at: i64,
    /// What became of them.
    pub outcomes: ChargeOutcomes,
}

/// How many charges stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChargeOutcomes {
    /// Paid.
    pub succeeded: i64,
    /// The last card was declined.
    pub declined: i64,
    /// With the provider or with the shopper's bank.
    pub under_way: i64,
    /// The provider's answer was lost and is being asked for.
    pub unknown: i64,
    /// No card was tried, or the charge was canceled or has expired.
    pub unpaid: i64,
}

/// So many charges with this word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NamedCharges {
    /// A decline code.
    pub name: String,
    /// How many.
    pub charges: i64,
}

/// What waits or was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct QueueLengths {
    /// Webhook events that merchants have not accepted yet.
    pub webhooks_waiting: i64,
    /// Since when the oldest of them waits, in milliseconds since 1970.
    pub webhooks_waiting_since: Option<i64>,
    /// Attempts to pay whose outcome is not known yet.
    pub attempts_open: i64,
    /// Events that this node lost since it started.
    pub events_dropped: i64,
}
