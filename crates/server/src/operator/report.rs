//! `GET /v1/operator/report`: where shoppers leave the form, the outcomes of charges, and the lengths of the queues.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use store::{
    ChargeGroup, CountedTimes, DeclineGroup, PaidAmount, ReportRange, Store, StoreError, VariationVisits,
    VisitCounts, VisitTopic, VisitWords,
};
use tokio::sync::Semaphore;
use wire::{
    ChargeBucket, ChargeOutcomes, ChargeReport, ChargeStatus, ExperimentReport, Funnel, Money, NamedCharges,
    NamedCount, NamedFunnel, PeriodBefore, QueueLengths, Report, ReportDatabase, ReportSource,
    VariationReport, VisitReport, VisitStep,
};

use super::interval::wilson;
use super::key::KnownOperator;
use super::range::{ReportQuery, ReportRequest};
use super::state::Reports;
use crate::http::api_error::ApiError;

/// One report is made at a time, because charges need most of the database's connections.
static AT_ONCE: Semaphore = Semaphore::const_new(1);

/// Answers with the report from `from` to `to`, in unix milliseconds, for one `locale` or one `experiment` if they are
/// named.
pub(crate) async fn report(
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
    let times = store.counted_times(before.from, range.to).await?;
    // On two connections at the same time.
    let ((counts, funnel), (charges, money, total, now)) = tokio::try_join!(
        visits_of(store, &times, range, before, asked.experiment.as_deref()),
        async {
            let (report, total) = charges(store, &times, asked, before).await?;
            let paid = store.money_paid(&times, before.from, before.to).await?;
            Ok((report, money(paid), total, queue_lengths(reports).await?))
        }
    )?;
    Ok(Report {
        from: asked.from,
        to: asked.to,
        visits: visits(&counts.words),
        experiments: experiments(counts.variations),
        charges,
        before: PeriodBefore {
            from: before.from,
            funnel,
            total,
            money,
        },
        now,
        source,
    })
}

/// The visits of the range, and the funnel of the time before it.
async fn visits_of(
    store: &Store,
    times: &CountedTimes,
    range: ReportRange<'_>,
    before: ReportRange<'_>,
    experiment: Option<&str>,
) -> Result<(VisitCounts, Funnel), StoreError> {
    let counts = store.visit_counts(times, range, experiment).await?;
    let mut funnel = Funnel::default();
    for (step, visits) in store.visits_by_step(times, before).await? {
        funnel.add(step, visits);
    }
    Ok((counts, funnel))
}

fn visits(words: &VisitWords) -> VisitReport {
    let mut funnel = Funnel::default();
    for ((_, step), visits) in of_topic(words, VisitTopic::All) {
        funnel.add(step, visits);
    }
    let gave_up_filling = |step: VisitStep| matches!(step, VisitStep::Started | VisitStep::Ready);
    VisitReport {
        funnel,
        left_at_field: counts(words, VisitTopic::Field, |_, step| gave_up_filling(step)),
        left_after_error: counts(words, VisitTopic::Error, |error, step| {
            gave_up_filling(step) && !error.is_empty()
        }),
        left_after_decline: counts(words, VisitTopic::Decline, |_, step| step == VisitStep::Submitted),
        locales: funnels(words, VisitTopic::Locale),
        brands: funnels(words, VisitTopic::Brand),
        methods: funnels(words, VisitTopic::Method),
    }
}

/// The words of one topic, each with a furthest step and its visits.
fn of_topic(words: &VisitWords, topic: VisitTopic) -> impl Iterator<Item = ((&str, VisitStep), i64)> {
    words
        .iter()
        .filter(move |((of, _, _), _)| *of == topic)
        .map(|((_, word, step), visits)| ((word.as_str(), *step), *visits))
}

/// Visits by a word, the most frequent first.
fn counts(words: &VisitWords, topic: VisitTopic, which: impl Fn(&str, VisitStep) -> bool) -> Vec<NamedCount> {
    let mut by_word = BTreeMap::<&str, i64>::new();
    for ((word, step), visits) in of_topic(words, topic) {
        if which(word, step) {
            *by_word.entry(word).or_default() += visits;
        }
    }
    let counts = by_word.into_iter().map(|(name, visits)| NamedCount {
        name: name.to_owned(),
        visits,
    });
    let mut counts: Vec<NamedCount> = counts.collect();
    counts.sort_by_key(|count| std::cmp::Reverse(count.visits));
    counts
}

/// Funnels by a word, without visits that have none; the most frequent first.
fn funnels(words: &VisitWords, topic: VisitTopic) -> Vec<NamedFunnel> {
    let mut by_word = BTreeMap::<&str, Funnel>::new();
    for ((word, step), visits) in of_topic(words, topic).filter(|((word, _), _)| !word.is_empty()) {
        by_word.entry(word).or_default().add(step, visits);
    }
    let funnels = by_word.into_iter().map(|(name, funnel)| NamedFunnel {
        name: name.to_owned(),
        funnel,
    });
    let mut funnels: Vec<NamedFunnel> = funnels.collect();
    funnels.sort_by_key(|named| std::cmp::Reverse(named.funnel.viewed));
    funnels
}

fn experiments(visits: Vec<VariationVisits>) -> Vec<ExperimentReport> {
    let mut by_experiment = BTreeMap::<String, BTreeMap<i64, Funnel>>::new();
    for visits in visits {
        by_experiment
            .entry(visits.experiment_id)
            .or_default()
            .entry(visits.variation_id)
            .or_default()
            .add(visits.step, visits.visits);
    }
    let variation = |(variation_id, funnel): (i64, Funnel)| VariationReport {
        variation_id,
        funnel,
        conversion: wilson(funnel.paid, funnel.viewed),
    };
    by_experiment
        .into_iter()
        .map(|(experiment_id, variations)| ExperimentReport {
            experiment_id,
            variations: variations.into_iter().map(variation).collect(),
        })
        .collect()
}

/// The charges of the range, and the outcomes of those of the time before it.
async fn charges(
    store: &Store,
    times: &CountedTimes,
    asked: &ReportRequest,
    before: ReportRange<'_>,
) -> Result<(ChargeReport, ChargeOutcomes), StoreError> {
    let bucket_ms = asked.bucket_ms();
    let mut buckets = asked.buckets();
    let (mut total, mut total_before) = (ChargeOutcomes::default(), ChargeOutcomes::default());
    let of_buckets = buckets
        .iter()
        .map(|bucket| (bucket.at.max(asked.from), (bucket.at + bucket_ms).min(asked.to)));
    let pieces: Vec<(i64, i64)> = std::iter::once((before.from, before.to))
        .chain(of_buckets)
        .collect();
    let made = store.charges_over_time(times, &pieces).await?;
    for group in made.groups {
        if group.begins < asked.from {
            add(&mut total_before, &group);
            continue;
        }
        add(&mut total, &group);
        // A piece begins inside its bucket.
        let is_bucket =
            |bucket: &&mut ChargeBucket| (bucket.at..bucket.at + bucket_ms).contains(&group.begins);
        if let Some(bucket) = buckets.iter_mut().find(is_bucket) {
            add(&mut bucket.outcomes, &group);
        }
    }
    let of_range = made
        .declines
        .into_iter()
        .filter(|group| group.begins >= asked.from);
    Ok((
        ChargeReport {
            bucket_ms,
            buckets,
            total,
            money: money(store.money_paid(times, asked.from, asked.to).await?),
            declines: declines(of_range),
        },
        total_before,
    ))
}

/// Declined charges by reason, the most frequent first.
fn declines(groups: impl Iterator<Item = DeclineGroup>) -> Vec<NamedCharges> {
    let mut by_reason = BTreeMap::<String, i64>::new();
    for group in groups {
        *by_reason.entry(group.reason).or_default() += group.charges;
    }
    let named = by_reason
        .into_iter()
        .map(|(name, charges)| NamedCharges { name, charges });
    let mut named: Vec<NamedCharges> = named.collect();
    named.sort_by_key(|named| std::cmp::Reverse(named.charges));
    named
}

fn money(paid: Vec<PaidAmount>) -> Vec<Money> {
    paid.into_iter()
        .map(|paid| Money {
            amount: rules::amount::sum_text(&paid.amount, &paid.currency),
            currency: paid.currency,
            charges: paid.charges,
        })
        .collect()
}

/// Adds the charges to the outcome that their status means.
fn add(outcomes: &mut ChargeOutcomes, made: &ChargeGroup) {
    let count = match made.status.0 {
        ChargeStatus::Succeeded => &mut outcomes.succeeded,
        ChargeStatus::Failed => &mut outcomes.declined,
        ChargeStatus::Processing | ChargeStatus::WaitingForShopperAction => &mut outcomes.under_way,
        ChargeStatus::OutcomeUnknown => &mut outcomes.unknown,
        ChargeStatus::Created | ChargeStatus::Canceled | ChargeStatus::Expired => &mut outcomes.unpaid,
    };
    *count += made.charges;
}

async fn queue_lengths(reports: &Reports) -> Result<QueueLengths, StoreError> {
    Ok(QueueLengths {
        webhooks_waiting: reports.store.webhooks_waiting().await?,
        webhooks_waiting_since: reports.store.webhooks_waiting_since().await?,
        attempts_open: reports.store.attempts_open().await?,
        events_dropped: i64::try_from(reports.counts.lost()).unwrap_or(i64::MAX),
    })
}
