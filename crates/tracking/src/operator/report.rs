//! `GET /v1/operator/report`: where shoppers leave the form, the outcomes of charges, and the lengths of the queues.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use store::{
    ChargeCounts, CountedTimes, PaidAmount, ReportRange, StatusCounts, Store, StoreError, VariationVisits,
    VisitCounts, VisitTopic,
};
use tokio::sync::Semaphore;
use wire::{
    ChargeOutcomes, ChargeReport, ChargeStatus, ExperimentReport, Funnel, Money, NamedCharges, NamedCount,
    NamedFunnel, PeriodBefore, QueueLengths, Report, ReportDatabase, ReportSource, VariationReport,
    VisitReport, VisitStep,
};

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
    let times = store.counted_times(before.from, range.to).await?;
    // On two connections at the same time.
    let ((counts, funnel), (charges, charges_before, now)) = tokio::try_join!(
        visits_of(store, &times, range, before, asked.experiment.as_deref()),
        async {
            let (report, before) = charges(store, &times, asked, before).await?;
            Ok((report, before, queue_lengths(reports).await?))
        }
    )?;
    Ok(Report {
        from: asked.from,
        to: asked.to,
        visits: visits(&counts),
        experiments: experiments(counts.variations()?),
        charges,
        before: PeriodBefore {
            from: before.from,
            funnel,
            total: outcomes(&charges_before.statuses()?),
            money: money(charges_before.paid()),
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

fn visits(counts: &VisitCounts) -> VisitReport {
    let gave_up_filling = |step: VisitStep| matches!(step, VisitStep::Started | VisitStep::Ready);
    let all = counts.words(VisitTopic::All);
    VisitReport {
        funnel: all.get("").map(|steps| funnel(steps)).unwrap_or_default(),
        left_at_field: words(counts, VisitTopic::Field, |_, step| gave_up_filling(step)),
        left_after_error: words(counts, VisitTopic::Error, |error, step| {
            gave_up_filling(step) && !error.is_empty()
        }),
        left_after_decline: words(counts, VisitTopic::Decline, |_, step| {
            step == VisitStep::Submitted
        }),
        locales: funnels(counts, VisitTopic::Locale),
        brands: funnels(counts, VisitTopic::Brand),
        methods: funnels(counts, VisitTopic::Method),
    }
}

fn funnel(steps: &[(VisitStep, i64)]) -> Funnel {
    let mut funnel = Funnel::default();
    for (step, visits) in steps {
        funnel.add(*step, *visits);
    }
    funnel
}

/// Visits by a word, the most frequent first.
fn words(
    counts: &VisitCounts,
    topic: VisitTopic,
    which: impl Fn(&str, VisitStep) -> bool,
) -> Vec<NamedCount> {
    let mut named = Vec::new();
    for (word, steps) in counts.words(topic) {
        let wanted = steps.into_iter().filter(|(step, _)| which(word, *step));
        let visits = wanted.map(|(_, visits)| visits).sum();
        if visits > 0 {
            let name = word.to_owned();
            named.push(NamedCount { name, visits });
        }
    }
    named.sort_by_key(|count| std::cmp::Reverse(count.visits));
    named
}

/// Funnels by a word, without visits that have none; the most frequent first.
fn funnels(counts: &VisitCounts, topic: VisitTopic) -> Vec<NamedFunnel> {
    let words = counts.words(topic).into_iter();
    let named = words
        .filter(|(word, _)| !word.is_empty())
        .map(|(word, steps)| NamedFunnel {
            name: word.to_owned(),
            funnel: funnel(&steps),
        });
    let mut funnels: Vec<NamedFunnel> = named.collect();
    funnels.sort_by_key(|named| std::cmp::Reverse(named.funnel.viewed));
    funnels
}

fn experiments(visits: Vec<VariationVisits>) -> Vec<ExperimentReport> {
    let mut by_experiment = BTreeMap::<String, BTreeMap<i64, Funnel>>::new();
    for visits in visits {
        by_experiment
            .entry(visits.experiment_id)
            .or_default()
            .insert(visits.variation_id, funnel(&visits.steps));
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

/// The charges of the range, and those of the time before it.
async fn charges(
    store: &Store,
    times: &CountedTimes,
    asked: &ReportRequest,
    before: ReportRange<'_>,
) -> Result<(ChargeReport, ChargeCounts), StoreError> {
    let bucket_ms = asked.bucket_ms();
    let mut buckets = asked.buckets();
    let of_buckets = buckets
        .iter()
        .map(|bucket| (bucket.at.max(asked.from), (bucket.at + bucket_ms).min(asked.to)));
    let pieces: Vec<(i64, i64)> = of_buckets.collect();
    let made = store
        .charges_over_time(times, (before.from, before.to), &pieces)
        .await?;
    for (bucket, made) in buckets.iter_mut().zip(&made.pieces) {
        bucket.outcomes = outcomes(made);
    }
    let report = ChargeReport {
        bucket_ms,
        buckets,
        total: outcomes(&made.all.statuses()?),
        money: money(made.all.paid()),
        declines: declines(&made.all),
    };
    Ok((report, made.before))
}

/// Declined charges by reason, the most frequent first.
fn declines(made: &ChargeCounts) -> Vec<NamedCharges> {
    let named = made.declines().map(|(name, charges)| NamedCharges {
        name: name.to_owned(),
        charges,
    });
    let mut named: Vec<NamedCharges> = named.collect();
    named.sort_by(|one, other| {
        other
            .charges
            .cmp(&one.charges)
            .then_with(|| one.name.cmp(&other.name))
    });
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

/// The charges by the outcome that their status means.
fn outcomes(made: &StatusCounts) -> ChargeOutcomes {
    let mut outcomes = ChargeOutcomes::default();
    for (status, charges) in made.each() {
        let count = match status {
            ChargeStatus::Succeeded => &mut outcomes.succeeded,
            ChargeStatus::Failed => &mut outcomes.declined,
            ChargeStatus::Processing | ChargeStatus::WaitingForShopperAction => &mut outcomes.under_way,
            ChargeStatus::OutcomeUnknown => &mut outcomes.unknown,
            ChargeStatus::Created | ChargeStatus::Canceled | ChargeStatus::Expired => &mut outcomes.unpaid,
        };
        *count += charges;
    }
    outcomes
}

async fn queue_lengths(reports: &Reports) -> Result<QueueLengths, StoreError> {
    Ok(QueueLengths {
        webhooks_waiting: reports.store.webhooks_waiting().await?,
        webhooks_waiting_since: reports.store.webhooks_waiting_since().await?,
        attempts_open: reports.store.attempts_open().await?,
        events_dropped: i64::try_from(reports.counts.lost()).unwrap_or(i64::MAX),
    })
}
