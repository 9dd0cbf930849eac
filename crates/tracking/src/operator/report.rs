//! `GET /v1/operator/report`: where shoppers leave the form, the outcomes of charges, and the lengths of the queues.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use protocol::charge_state::ALL_STATES;
use protocol::{
    ChargeOutcomes, ChargeReport, ChargeStatus, ExperimentReport, Funnel, Money, NamedCharges, NamedCount,
    NamedFunnel, PeriodBefore, QueueLengths, Report, ReportDatabase, ReportSource, VariationReport,
    VisitReport,
};
use store::{ReportRange, Store, StoreError, Tally, VisitTopic, amount_text};
use tokio::sync::Semaphore;

use super::interval::wilson;
use super::key::KnownOperator;
use super::range::{ReportQuery, ReportRequest};
use super::state::Reports;
use web::api_error::ApiError;

/// One report is made at a time, because charges need most of the database's connections.
static AT_ONCE: Semaphore = Semaphore::const_new(1);

/// Answers with the report from `from` to `to`, in unix milliseconds, for one `locale` or one `experiment` if they are
/// named.
pub async fn report(
    _: KnownOperator,
    State(reports): State<Arc<Reports>>,
    query: Result<Query<ReportQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(query) = query.map_err(|_| ApiError::invalid("query", "The query cannot be read."))?;
    let asked = query.read(reports.clock.now_ms())?;
    let report = make_report(&reports, &asked).await?;
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, Json(report)).into_response())
}

/// Makes the report. Only one is made at a time; it uses two connections to the database.
pub async fn make_report(reports: &Reports, asked: &ReportRequest) -> Result<Report, StoreError> {
    // The semaphore is never closed.
    let _turn = AT_ONCE.acquire().await;
    let mut source = ReportSource {
        database: ReportDatabase::Primary,
        lag_ms: None,
    };
    if let Some(replica) = &reports.replica {
        if let Some((store, from)) = replica.ready().await {
            // PostgreSQL ends a long statement on a copy that is in the way of a change.
            match read_report(reports, &store, from, asked).await {
                Ok(report) => return Ok(report),
                Err(cause) => replica.missing(&cause),
            }
        }
        source.database = ReportDatabase::Fallback;
    }
    read_report(reports, &reports.store, source, asked).await
}

async fn read_report(
    reports: &Reports,
    store: &Store,
    source: ReportSource,
    asked: &ReportRequest,
) -> Result<Report, StoreError> {
    let range = ReportRange {
        from: asked.from,
        to: asked.to,
        locale: asked.locale.as_deref(),
    };
    let before = ReportRange {
        from: (asked.from - (asked.to - asked.from)).max(0),
        to: asked.from,
        ..range
    };
    let time = store.tallied_time().await?;
    // On two connections at the same time.
    let ((seen, seen_before), (charges, made_before, now)) = tokio::try_join!(
        async {
            let seen = store.visit_tallies(&time, range, true).await?;
            Ok::<_, StoreError>((seen, store.visit_tallies(&time, before, false).await?))
        },
        async {
            let made = store
                .charge_tallies(&time, (range.from, range.to), Some(asked.bucket_ms()))
                .await?;
            let before = store
                .charge_tallies(&time, (before.from, before.to), None)
                .await?;
            Ok((charges(asked, &made)?, before, queue_lengths(reports).await?))
        }
    )?;
    let total_before = made_before
        .iter()
        .try_fold(ChargeOutcomes::default(), add_outcome)?;
    Ok(Report {
        from: asked.from,
        to: asked.to,
        visits: visits(&seen),
        experiments: experiments(&seen, asked.experiment.as_deref())?,
        charges,
        before: PeriodBefore {
            from: before.from,
            funnel: funnels(&seen_before, VisitTopic::All)
                .remove("")
                .unwrap_or_default(),
            total: total_before,
            money: money(&made_before),
        },
        now,
        source,
    })
}

fn visits(seen: &[Tally]) -> VisitReport {
    // Who gave up while filling in has started and not submitted.
    let gave_up = |funnel: &Funnel| funnel.started - funnel.submitted;
    let mut left_after_error = counts(seen, VisitTopic::Error, gave_up);
    left_after_error.retain(|error| !error.name.is_empty());
    VisitReport {
        funnel: funnels(seen, VisitTopic::All).remove("").unwrap_or_default(),
        left_at_field: counts(seen, VisitTopic::Field, gave_up),
        left_after_error,
        left_after_decline: counts(seen, VisitTopic::Decline, |funnel| funnel.submitted - funnel.paid),
        locales: named_funnels(seen, VisitTopic::Locale),
        brands: named_funnels(seen, VisitTopic::Brand),
        methods: named_funnels(seen, VisitTopic::Method),
    }
}

/// How far visits came, by each word of a topic.
fn funnels(seen: &[Tally], topic: VisitTopic) -> BTreeMap<&str, Funnel> {
    let mut funnels = BTreeMap::<&str, Funnel>::new();
    for tally in seen.iter().filter(|tally| tally.is_of(topic)) {
        let [viewed, started, ready, submitted, paid] = tally.counts;
        let sum = funnels.entry(&tally.word).or_default();
        sum.viewed += viewed;
        sum.started += started;
        sum.ready += ready;
        sum.submitted += submitted;
        sum.paid += paid;
    }
    funnels
}

/// Some visits of each word, the most frequent first.
fn counts(seen: &[Tally], topic: VisitTopic, some: impl Fn(&Funnel) -> i64) -> Vec<NamedCount> {
    let words = funnels(seen, topic).into_iter();
    let named = words.map(|(word, funnel)| NamedCount {
        name: word.to_owned(),
        visits: some(&funnel),
    });
    let mut named: Vec<NamedCount> = named.filter(|count| count.visits > 0).collect();
    named.sort_by_key(|count| std::cmp::Reverse(count.visits));
    named
}

/// Funnels by a word, without visits that have none; the most frequent first.
fn named_funnels(seen: &[Tally], topic: VisitTopic) -> Vec<NamedFunnel> {
    let words = funnels(seen, topic).into_iter();
    let named = words
        .filter(|(word, _)| !word.is_empty())
        .map(|(word, funnel)| NamedFunnel {
            name: word.to_owned(),
            funnel,
        });
    let mut funnels: Vec<NamedFunnel> = named.collect();
    funnels.sort_by_key(|named| std::cmp::Reverse(named.funnel.viewed));
    funnels
}

/// Experiments by what visits saw of them; perhaps only the one that is asked for.
fn experiments(seen: &[Tally], asked: Option<&str>) -> Result<Vec<ExperimentReport>, StoreError> {
    let mut by_experiment = BTreeMap::<&str, BTreeMap<i64, Funnel>>::new();
    for (word, funnel) in funnels(seen, VisitTopic::Experiment) {
        let parts = word.split_once(' ');
        let parts = parts.and_then(|(variation, experiment)| Some((variation.parse().ok()?, experiment)));
        let (variation_id, experiment): (i64, _) =
            parts.ok_or(StoreError::Unusable("variation of visits"))?;
        if asked.is_none_or(|asked| asked == experiment) {
            by_experiment
                .entry(experiment)
                .or_default()
                .insert(variation_id, funnel);
        }
    }
    let variation = |(variation_id, funnel): (i64, Funnel)| VariationReport {
        variation_id,
        funnel,
        conversion: wilson(funnel.paid, funnel.viewed),
    };
    Ok(by_experiment
        .into_iter()
        .map(|(experiment, variations)| ExperimentReport {
            experiment_id: experiment.to_owned(),
            variations: variations.into_iter().map(variation).collect(),
        })
        .collect())
}

/// The charges of the range.
fn charges(asked: &ReportRequest, made: &[Tally]) -> Result<ChargeReport, StoreError> {
    let bucket_ms = asked.bucket_ms();
    let mut buckets = asked.buckets();
    let first = buckets.first().map_or(0, |bucket| bucket.at);
    let mut total = ChargeOutcomes::default();
    for tally in made {
        total = add_outcome(total, tally)?;
        let place = usize::try_from((tally.at - first) / bucket_ms).unwrap_or(usize::MAX);
        if let Some(bucket) = buckets.get_mut(place) {
            bucket.outcomes = add_outcome(bucket.outcomes, tally)?;
        }
    }
    Ok(ChargeReport {
        bucket_ms,
        buckets,
        total,
        money: money(made),
        declines: declines(made),
    })
}

/// Charges of one status, with their amount, by each word. The most frequent word is first.
fn charges_by_word(made: &[Tally], status: ChargeStatus) -> Vec<(&str, i64, i128)> {
    let mut sums = BTreeMap::<&str, (i64, i128)>::new();
    for tally in made.iter().filter(|tally| tally.topic == status.as_str()) {
        let [charges, ..] = tally.counts;
        let sum = sums.entry(&tally.word).or_default();
        *sum = (sum.0 + charges, sum.1 + tally.amount);
    }
    let sums = sums.into_iter();
    let mut sums: Vec<_> = sums
        .map(|(word, (charges, amount))| (word, charges, amount))
        .collect();
    sums.sort_by_key(|(_, charges, _)| std::cmp::Reverse(*charges));
    sums
}

/// Declined charges by reason; it is empty if the provider gave none.
fn declines(made: &[Tally]) -> Vec<NamedCharges> {
    charges_by_word(made, ChargeStatus::Failed)
        .into_iter()
        .map(|(reason, charges, _)| NamedCharges {
            name: reason.to_owned(),
            charges,
        })
        .collect()
}

fn money(made: &[Tally]) -> Vec<Money> {
    charges_by_word(made, ChargeStatus::Succeeded)
        .into_iter()
        .map(|(currency, charges, amount)| Money {
            amount: rules::amount::sum_text(&amount_text(amount), currency),
            currency: currency.to_owned(),
            charges,
        })
        .collect()
}

/// Adds charges to the outcome that their status means.
fn add_outcome(mut outcomes: ChargeOutcomes, made: &Tally) -> Result<ChargeOutcomes, StoreError> {
    let status = ALL_STATES
        .into_iter()
        .find(|status| status.as_str() == made.topic);
    let count = match status.ok_or(StoreError::Unusable("charge status"))? {
        ChargeStatus::Succeeded => &mut outcomes.succeeded,
        ChargeStatus::Failed => &mut outcomes.declined,
        ChargeStatus::Processing | ChargeStatus::WaitingForShopperAction => &mut outcomes.under_way,
        ChargeStatus::OutcomeUnknown => &mut outcomes.unknown,
        ChargeStatus::Created | ChargeStatus::Canceled | ChargeStatus::Expired => &mut outcomes.unpaid,
    };
    let [charges, ..] = made.counts;
    *count += charges;
    Ok(outcomes)
}

async fn queue_lengths(reports: &Reports) -> Result<QueueLengths, StoreError> {
    Ok(QueueLengths {
        webhooks_waiting: reports.store.webhooks_waiting().await?,
        webhooks_waiting_since: reports.store.webhooks_waiting_since().await?,
        attempts_open: reports.store.attempts_open().await?,
        events_dropped: i64::try_from(reports.counts.lost()).unwrap_or(i64::MAX),
    })
}
