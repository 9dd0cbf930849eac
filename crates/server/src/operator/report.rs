//! `GET /v1/operator/report`: where shoppers leave the form, the outcomes of charges, and the lengths of the queues.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use store::{
    ChargeGroup, PaidAmount, ReportRange, Store, StoreError, VariationVisits, VisitTopic, VisitWords,
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
    let others = async {
        let variations = store
            .visits_of_variations(range, asked.experiment.as_deref())
            .await?;
        Ok((
            experiments(variations),
            charges(store, asked).await?,
            period_before(store, asked).await?,
            queue_lengths(reports).await?,
        ))
    };
    let (words, (experiments, charges, before, now)) = tokio::try_join!(store.visit_words(range), others)?;
    Ok(Report {
        from: asked.from,
        to: asked.to,
        visits: visits(&words),
        experiments,
        charges,
        before,
        now,
        source,
    })
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

async fn charges(store: &Store, asked: &ReportRequest) -> Result<ChargeReport, StoreError> {
    let bucket_ms = asked.bucket_ms();
    let mut buckets = asked.buckets();
    let mut total = ChargeOutcomes::default();
    let pieces: Vec<(i64, i64)> = buckets
        .iter()
        .map(|bucket| (bucket.at.max(asked.from), (bucket.at + bucket_ms).min(asked.to)))
        .collect();
    for made in store.charges_over_time(&pieces).await? {
        add(&mut total, &made);
        // A piece begins inside its bucket.
        let is_bucket =
            |bucket: &&mut ChargeBucket| (bucket.at..bucket.at + bucket_ms).contains(&made.begins);
        if let Some(bucket) = buckets.iter_mut().find(is_bucket) {
            add(&mut bucket.outcomes, &made);
        }
    }
    let money = money(store.money_paid(asked.from, asked.to).await?);
    let declines = store.declines(asked.from, asked.to).await?;
    Ok(ChargeReport {
        bucket_ms,
        buckets,
        total,
        money,
        declines: declines
            .into_iter()
            .map(|(name, charges)| NamedCharges { name, charges })
            .collect(),
    })
}

/// The figures of the time before the range; that time is as long as the range.
async fn period_before(store: &Store, asked: &ReportRequest) -> Result<PeriodBefore, StoreError> {
    let range = ReportRange {
        from: (asked.from - (asked.to - asked.from)).max(0),
        to: asked.from,
        locale: asked.locale.as_deref(),
    };
    let mut funnel = Funnel::default();
    for (step, visits) in store.visits_by_step(range).await? {
        funnel.add(step, visits);
    }
    let mut total = ChargeOutcomes::default();
    for made in store.charges_over_time(&[(range.from, range.to)]).await? {
        add(&mut total, &made);
    }
    Ok(PeriodBefore {
        from: range.from,
        funnel,
        total,
        money: money(store.money_paid(range.from, range.to).await?),
    })
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
