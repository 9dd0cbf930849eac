//! Visits, made from events: each accepted event is added to its visit in memory, in limited number, and changed visits are
//! written every second. Neither payments nor requests with events wait for this.

mod visit_event;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use protocol::Features;
use store::{Store, StoreError, VISITS_AT_ONCE, Visit};
use tokio::sync::watch;
use uuid::Uuid;

pub use visit_event::VisitEvent;

/// How often changed visits are written.
const INTERVAL: Duration = Duration::from_secs(1);
/// How many visits may wait to be written; they take about 40 MB. Further visits are missing in the report.
const WAITING_MAX: usize = 50_000;
/// How many experiments are kept in addition to the form's own, because anybody can send events with invented names.
const EXPERIMENTS_MAX: usize = 100;
/// How many experiments of one visit are written at a time.
const EXPERIMENTS_OF_VISIT_MAX: usize = 16;

/// The visits that are not written yet.
#[derive(Debug)]
pub struct Visits {
    // A std mutex: it is held while a batch is added, and no await happens meanwhile.
    waiting: Mutex<Waiting>,
    /// How many events were added or ignored since the start.
    processed: watch::Sender<u64>,
}

#[derive(Debug)]
struct Waiting {
    visits: HashMap<Uuid, Visit>,
    /// The form's own experiments (docs/experiments.md#the-eight).
    own: BTreeSet<String>,
    /// Other experiments that events have named.
    others: BTreeSet<String>,
    /// How many events were ignored because there was no room for their visits.
    left_out: u64,
}

impl Visits {
    /// Starts without visits. `known_experiments` are the experiments that visits have named before.
    pub fn new(known_experiments: BTreeSet<String>) -> Self {
        let shipped = serde_json::to_value(Features::SHIPPED).unwrap_or_default();
        let own: BTreeSet<String> = shipped
            .as_object()
            .map(|features| features.keys().cloned().collect())
            .unwrap_or_default();
        Self {
            waiting: Mutex::new(Waiting {
                visits: HashMap::new(),
                others: known_experiments
                    .into_iter()
                    .filter(|id| !own.contains(id))
                    .collect(),
                own,
                left_out: 0,
            }),
            processed: watch::Sender::new(0),
        }
    }

    /// Adds what events say to their visits. `events` is how many there were, `now` when they came, in unix milliseconds.
    pub fn add_events(&self, visit_events: Vec<VisitEvent>, events: u64, now: i64) {
        {
            let mut waiting = self.locked();
            for visit_event in visit_events {
                waiting.add(visit_event, now);
            }
        }
        self.processed.send_modify(|all| *all += events);
    }

    /// Waits until so many events were added or ignored since the start.
    pub async fn wait_for_events(&self, events: u64) {
        let mut processed = self.processed.subscribe();
        // The sender is in `self`, so the wait cannot fail.
        let _ = processed.wait_for(|processed| *processed >= events).await;
    }

    /// Writes the changed visits. Those that cannot be written are kept for the next time.
    pub async fn flush(&self, store: &Store) -> Result<(), StoreError> {
        let (taken, left_out) = {
            let mut waiting = self.locked();
            let left_out = std::mem::take(&mut waiting.left_out);
            (std::mem::take(&mut waiting.visits), left_out)
        };
        if left_out > 0 {
            tracing::warn!(
                events = left_out,
                "the report leaves out visits: too many came at once"
            );
        }
        let mut visits: Vec<(Uuid, Visit)> = taken.into_iter().collect();
        visits.sort_unstable_by_key(|(id, _)| *id);
        let mut rest = visits.as_slice();
        while !rest.is_empty() {
            let (some, others) = rest.split_at(rest.len().min(VISITS_AT_ONCE));
            if let Err(cause) = store.put_visits(some).await {
                self.locked().put_back(rest);
                return Err(cause);
            }
            rest = others;
        }
        Ok(())
    }

    fn locked(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn add(&mut self, visit_event: VisitEvent, now: i64) {
        if self.visits.len() >= WAITING_MAX && !self.visits.contains_key(&visit_event.visit) {
            self.left_out += 1;
            return;
        }
        let is_known = visit_event
            .experiment()
            .is_none_or(|id| self.accepts_experiment(id));
        let visit = self
            .visits
            .entry(visit_event.visit)
            .or_insert_with(|| Visit::new(now));
        let has_room = visit.variations.len() < EXPERIMENTS_OF_VISIT_MAX;
        if is_known && has_room {
            visit_event.add_to(visit);
        } else {
            visit_event.without_experiment().add_to(visit);
        }
    }

    fn accepts_experiment(&mut self, experiment: &str) -> bool {
        if self.own.contains(experiment) || self.others.contains(experiment) {
            return true;
        }
        let has_room = self.others.len() < EXPERIMENTS_MAX;
        if has_room {
            self.others.insert(experiment.to_owned());
        }
        has_room
    }

    /// Visits may have changed again meanwhile; merging does not depend on the order.
    fn put_back(&mut self, visits: &[(Uuid, Visit)]) {
        for (id, visit) in visits {
            if self.visits.len() >= WAITING_MAX && !self.visits.contains_key(id) {
                self.left_out += 1;
                continue;
            }
            self.visits
                .entry(*id)
                .or_insert_with(|| Visit::new(visit.first_at))
                .merge(visit);
        }
    }
}

/// Writes the changed visits every second, until `stop` is true.
pub async fn run(visits: Arc<Visits>, store: Store, mut stop: watch::Receiver<bool>) {
    let mut is_well = true;
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
        let written = visits.flush(&store).await;
        if let Err(cause) = &written
            && is_well
        {
            tracing::warn!(%cause, "visits cannot be written now");
        }
        is_well = written.is_ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(visit: u128, of: &str) -> String {
        format!(r#"{{"visit":"{}","at":1,{of}}}"#, Uuid::from_u128(visit))
    }

    fn experiment_event(visit: u128, id: &str) -> String {
        let of = format!(
            r#""type":"experiment-viewed","name":"ExperimentViewed","experimentId":"{id}","variationId":1"#
        );
        event(visit, &of)
    }

    fn add(visits: &Visits, event: &str) {
        let (_, visit_event) = VisitEvent::read(event);
        visits.add_events(visit_event.into_iter().collect(), 1, 1);
    }

    #[test]
    fn new_visits_are_left_out_when_the_buffer_is_full() {
        let visits = Visits::new(BTreeSet::new());
        for visit in 0..=WAITING_MAX as u128 {
            add(&visits, &event(visit, r#""type":"page-view","name":"pageView""#));
        }
        add(&visits, &event(0, r#""type":"custom","name":"submit_success""#));
        let waiting = visits.locked();
        assert_eq!((waiting.visits.len(), waiting.left_out), (WAITING_MAX, 1));
        assert_eq!(
            waiting.visits[&Uuid::from_u128(0)].step,
            protocol::VisitStep::Paid
        );
    }

    #[test]
    fn invented_experiments_do_not_displace_the_forms_own() {
        let visits = Visits::new(BTreeSet::from(["known-before".to_owned()]));
        for number in 0..EXPERIMENTS_MAX as u128 + 50 {
            add(&visits, &experiment_event(number, &format!("made-up-{number}")));
        }
        for (visit, id) in [(900, "enable-ddc"), (901, "known-before"), (902, "too-late")] {
            add(&visits, &experiment_event(visit, id));
        }
        let waiting = visits.locked();
        assert_eq!(waiting.others.len(), EXPERIMENTS_MAX);
        let experiments = |visit: u128| waiting.visits[&Uuid::from_u128(visit)].variations.len();
        assert_eq!(
            (
                experiments(0),
                experiments(900),
                experiments(901),
                experiments(902)
            ),
            (1, 1, 1, 0)
        );
    }

    #[test]
    fn the_experiments_of_one_visit_are_limited() {
        let visits = Visits::new(BTreeSet::new());
        for number in 0..40 {
            add(&visits, &experiment_event(1, &format!("e-{number}")));
        }
        let waiting = visits.locked();
        assert_eq!(
            waiting.visits[&Uuid::from_u128(1)].variations.len(),
            EXPERIMENTS_OF_VISIT_MAX
        );
    }
}
