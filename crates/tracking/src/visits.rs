//! Visits, made from events. Each accepted event is added to its visit in memory, whose size is limited. Changed visits
//! are written every second. Neither payments nor requests with events wait for this.

mod visit_event;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use experiments::Experiments;
use store::{Store, StoreError, VISITS_AT_ONCE, Visit};
use tokio::sync::watch;
use uuid::Uuid;

pub(crate) use visit_event::read_event;

/// How often changed visits are written.
const INTERVAL: Duration = Duration::from_secs(1);
/// How many visits may wait to be written; they take about 40 MB. Further visits are missing in the report.
const WAITING_MAX: usize = 50_000;
/// How many experiments of one visit are written at a time.
const EXPERIMENTS_OF_VISIT_MAX: usize = 16;

/// The visits that are not written yet.
pub struct Visits {
    /// Only its experiments are counted, because any client can send events with invented names.
    experiments: Experiments,
    // A std mutex: it is held while a batch is added, and no await happens meanwhile.
    waiting: Mutex<Waiting>,
    /// How many events were added or ignored since the start.
    processed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Waiting {
    visits: HashMap<Uuid, Visit>,
    /// How many events were ignored because there was no room for their visits.
    left_out: u64,
}

impl Visits {
    /// Starts without visits. Only experiments of the features document in use are counted.
    pub fn new(experiments: Experiments) -> Self {
        Self {
            experiments,
            waiting: Mutex::default(),
            processed: watch::Sender::new(0),
        }
    }

    /// Adds parts of visits. `events` is how many events there were, `now` when they came, in unix milliseconds.
    pub(crate) fn add_events(&self, parts: Vec<(Uuid, Visit)>, events: u64, now: i64) {
        let document = self.experiments.document();
        let mut waiting = self.locked();
        for (id, mut part) in parts {
            part.variations.retain(|key, _| document.has_experiment(key));
            waiting.add(id, part, now);
        }
        drop(waiting);
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
                "too many visits at once; the report leaves some out"
            );
        }
        let mut visits: Vec<(Uuid, Visit)> = taken.into_iter().collect();
        visits.sort_unstable_by_key(|(id, _)| *id);
        for (written, some) in visits.chunks(VISITS_AT_ONCE).enumerate() {
            if let Err(cause) = store.put_visits(some).await {
                let mut waiting = self.locked();
                for (id, visit) in &visits[written * VISITS_AT_ONCE..] {
                    waiting.add(*id, visit.clone(), visit.first_at);
                }
                return Err(cause);
            }
        }
        Ok(())
    }

    fn locked(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Adds a part of a visit, which begins at `now` if it is new.
    fn add(&mut self, id: Uuid, mut part: Visit, now: i64) {
        if self.visits.len() >= WAITING_MAX && !self.visits.contains_key(&id) {
            self.left_out += 1;
            return;
        }
        let visit = self.visits.entry(id).or_insert_with(|| Visit::new(now));
        if visit.variations.len() >= EXPERIMENTS_OF_VISIT_MAX {
            part.variations.clear();
        }
        visit.merge(&part);
    }
}

/// Writes the changed visits every second, until `stop` is true.
pub async fn run(visits: Arc<Visits>, store: Store, mut stop: watch::Receiver<bool>) {
    let mut was_written = true;
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
        let written = visits.flush(&store).await;
        if let Err(cause) = &written
            && was_written
        {
            tracing::warn!(%cause, "visits cannot be written; retrying every second");
        }
        was_written = written.is_ok();
    }
}

#[cfg(test)]
mod tests;
