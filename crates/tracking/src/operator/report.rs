//! `GET /v1/operator/report`: where shoppers leave the form, the outcomes of charges, and the lengths of the queues.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use protocol::clock::Clock;
use protocol::{
    ChargeOutcomes, ChargeReport, ChargeStatus, ExperimentReport, Funnel, Money, NamedCharges, NamedCount,
    NamedFunnel, PeriodBefore, QueueLengths, Report, ReportDatabase, ReportSource, VariationReport,
    VisitReport,
};
use store::{ReportRange, Store, StoreError, Tally, VisitTopic, amount_text};
use tokio::sync::Semaphore;

use super::interval::wilson;
use super::range::{ReportQuery, ReportRequest};
use super::source::ReportReplica;
use crate::events::EventCounts;
use merchants::operators::OperatorOfAll;
use web::ApiError;

/// One report is made at a time, because charges need most of the database's connections.
static AT_ONCE: Semaphore = Semaphore::const_new(1);

/// The state of the operator's handlers.
pub struct Reports {
    /// The database.
    pub store: Store,
    /// The replica that reports are read from, if there is one.
    pub replica: Option<ReportReplica>,
    /// The time.
    pub clock: Clock,
    /// Counts of events, with the lost ones.
    pub counts: EventCounts,
}

/// Answers with the report from `from` to `to`, in unix milliseconds, for one `locale` or one `experiment` if they are
/// named.
pub async fn report(
    _: OperatorOfAll,
    State(reports): State<Arc<Reports>>,
    query: Result<Query<ReportQuery>, QueryRejection>,
) -> Result<Json<Report>, ApiError> {
    let Query(query) = query.map_err(|_| ApiError::invalid("query", "The query cannot be read."))?;
    let asked = query.read(reports.clock.now_ms())?;
    Ok(Json(make_report(&reports, &asked).await?))
}

/// Makes the report. Only one is made at a time; it uses two connections to the database.
pub async fn make_report(reports: &Reports, asked: &ReportRequest) -> Result<Report, StoreError> {
    // The semaphore is never closed.
    let _turn = AT_ONCE.acquire().await;
    let source = |database| ReportSource {
        database,
        lag_ms: None,
    };
    let Some(replica) = &reports.replica else {
        return read_report(reports, &reports.store, source(ReportDatabase::Primary), asked).await;
    };
    if let Some((store, source)) = replica.ready().await {
        // PostgreSQL may cancel a long statement on a replica, because it delays changes of the primary.
        match read_report(reports, &store, source, asked).await {
            Ok(report) => return Ok(report),
            Err(cause) => replica.unavailable(&cause),
        }
    }
    read_report(reports, &reports.store, source(ReportDatabase::Fallback), asked).await
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
    let bucket_ms = Some(asked.bucket_ms());
    // On two connections at the same time.
    let ((seen, seen_before), (made, made_before, now)) = tokio::try_join!(
        async {
            let seen = store.visit_tallies(&time, range, true).await?;
            let seen_before = store.visit_tallies(&time, before, false).await?;
            Ok::<_, StoreError>((seen, seen_before))
        },
        async {
            let (made, made_before) = ((range.from, range.to), (before.from, before.to));
            let made = store.charge_tallies(&time, made, bucket_ms).await?;
            let made_before = store.charge_tallies(&time, made_before, None).await?;
            Ok((made, made_before, queue_lengths(reports).await?))
        }
    )?;
    Ok(Report {
        from: asked.from,
        to: asked.to,
        visits: visits(&seen),
        experiments: experiments(&seen, asked.experiment.as_deref())?,
        charges: charges(asked, &made)?,
        before: PeriodBefore {
            from: before.from,
            funnel: all_visits(&seen_before),
            total: outcomes(&made_before)?,
            money: money(&made_before),
        },
        now,
        source,
    })
}

/// Adds up the tallies of each word for which `wanted` is true. The most frequent word is first.
fn by_word(tallies: &[Tally], wanted: impl Fn(&Tally) -> bool) -> Vec<Tally> {
    let mut sums = BTreeMap::<&str, Tally>::new();
    for tally in tallies.iter().filter(|tally| wanted(tally)) {
        let sum = sums.entry(&tally.word).or_insert_with(|| Tally {
            counts: [0; 5],
            amount: 0,
            ..tally.clone()
        });
        for (count, more) in sum.counts.iter_mut().zip(tally.counts) {
            *count += more;
        }
        sum.amount += tally.amount;
    }
    let mut sums: Vec<Tally> = sums.into_values().collect();
    sums.sort_by_key(|sum| Reverse(sum.counts[0]));
    sums
}

fn funnel(visits: &Tally) -> Funnel {
    let [viewed, started, ready, submitted, paid] = visits.counts;
    Funnel {
        viewed,
        started,
        ready,
        submitted,
        paid,
    }
}

/// The funnels of a topic's words. Visits without a word have an empty name.
fn funnels(seen: &[Tally], topic: VisitTopic) -> Vec<NamedFunnel> {
    let sums = by_word(seen, |tally| tally.is_of(topic)).into_iter();
    sums.map(|sum| NamedFunnel {
        funnel: funnel(&sum),
        name: sum.word,
    })
    .collect()
}

fn all_visits(seen: &[Tally]) -> Funnel {
    let all = funnels(seen, VisitTopic::All).pop();
    all.map(|all| all.funnel).unwrap_or_default()
}

fn visits(seen: &[Tally]) -> VisitReport {
    let named = |topic| {
        let funnels = funnels(seen, topic).into_iter();
        funnels.filter(|funnel| !funnel.name.is_empty()).collect()
    };
    // A part of the visits of each word, the most frequent word first.
    let counts = |topic, part: fn(&Funnel) -> i64| {
        let counts = funnels(seen, topic).into_iter().map(|named| NamedCount {
            visits: part(&named.funnel),
            name: named.name,
        });
        let mut counts: Vec<NamedCount> = counts.filter(|count| count.visits > 0).collect();
        counts.sort_by(|one, other| (other.visits, &one.name).cmp(&(one.visits, &other.name)));
        counts
    };
    let mut left_after_error = counts(VisitTopic::Error, |funnel| funnel.started - funnel.submitted);
    left_after_error.retain(|error| !error.name.is_empty());
    VisitReport {
        funnel: all_visits(seen),
        left_at_field: counts(VisitTopic::Field, |funnel| funnel.started - funnel.submitted),
        left_after_error,
        left_after_decline: counts(VisitTopic::Decline, |funnel| funnel.submitted - funnel.paid),
        locales: named(VisitTopic::Locale),
        brands: named(VisitTopic::Brand),
        methods: named(VisitTopic::Method),
    }
}

/// The experiments that visits saw; with `asked` only this one.
fn experiments(seen: &[Tally], asked: Option<&str>) -> Result<Vec<ExperimentReport>, StoreError> {
    let mut by_experiment = BTreeMap::<String, Vec<VariationReport>>::new();
    for NamedFunnel { name, funnel } in funnels(seen, VisitTopic::Experiment) {
        let variation = name
            .split_once(' ')
            .and_then(|(variation, experiment)| Some((variation.parse().ok()?, experiment)));
        let (variation_id, experiment) = variation.ok_or(StoreError::Unusable("variation of visits"))?;
        if asked.is_none_or(|asked| asked == experiment) {
            let variations = by_experiment.entry(experiment.to_owned()).or_default();
            variations.push(VariationReport {
                variation_id,
                funnel,
                conversion: wilson(funnel.paid, funnel.viewed),
            });
        }
    }
    let reports = by_experiment.into_iter().map(|(experiment_id, mut variations)| {
        variations.sort_by_key(|variation| variation.variation_id);
        ExperimentReport {
            experiment_id,
            variations,
        }
    });
    Ok(reports.collect())
}

/// The charges of the range.
fn charges(asked: &ReportRequest, made: &[Tally]) -> Result<ChargeReport, StoreError> {
    let bucket_ms = asked.bucket_ms();
    let mut buckets = asked.buckets();
    let first = buckets.first().map_or(0, |bucket| bucket.at);
    for tally in made {
        let place = usize::try_from((tally.at - first) / bucket_ms).unwrap_or(usize::MAX);
        if let Some(bucket) = buckets.get_mut(place) {
            add_outcome(&mut bucket.outcomes, tally)?;
        }
    }
    let by_reason = by_word(made, |tally| tally.topic == ChargeStatus::Failed.as_str());
    let declines = by_reason.into_iter().map(|sum| NamedCharges {
        name: sum.word,
        charges: sum.counts[0],
    });
    Ok(ChargeReport {
        bucket_ms,
        buckets,
        total: outcomes(made)?,
        money: money(made),
        declines: declines.collect(),
    })
}

/// The paid charges by currency.
fn money(made: &[Tally]) -> Vec<Money> {
    let paid = by_word(made, |tally| tally.topic == ChargeStatus::Succeeded.as_str());
    let money = paid.into_iter().map(|sum| Money {
        amount: rules::amount::sum_text(&amount_text(sum.amount), &sum.word),
        charges: sum.counts[0],
        currency: sum.word,
    });
    money.collect()
}

fn outcomes(made: &[Tally]) -> Result<ChargeOutcomes, StoreError> {
    let mut outcomes = ChargeOutcomes::default();
    for tally in made {
        add_outcome(&mut outcomes, tally)?;
    }
    Ok(outcomes)
}

/// Adds charges to the outcome that their status means.
fn add_outcome(outcomes: &mut ChargeOutcomes, made: &Tally) -> Result<(), StoreError> {
    let status = made.topic.parse();
    let count = match status.map_err(|_| StoreError::Unusable("charge status"))? {
        ChargeStatus::Succeeded => &mut outcomes.succeeded,
        ChargeStatus::Failed => &mut outcomes.declined,
        ChargeStatus::Processing | ChargeStatus::WaitingForShopperAction | ChargeStatus::Authorized => {
            &mut outcomes.under_way
        }
        ChargeStatus::OutcomeUnknown => &mut outcomes.unknown,
        ChargeStatus::Created | ChargeStatus::Canceled | ChargeStatus::Expired => &mut outcomes.unpaid,
    };
    *count += made.counts[0];
    Ok(())
}

async fn queue_lengths(reports: &Reports) -> Result<QueueLengths, StoreError> {
    Ok(QueueLengths {
        webhooks_waiting: reports.store.webhooks_waiting().await?,
        webhooks_waiting_since: reports.store.webhooks_waiting_since().await?,
        attempts_open: reports.store.attempts_open().await?,
        events_dropped: i64::try_from(reports.counts.lost()).unwrap_or(i64::MAX),
    })
}
