//! Simulated shoppers for the demo, so that the operator's page has figures. They call the service over
//! HTTP, as merchants' servers and the page do. The same seed gives the same shoppers.

mod shopper;
mod visit_plan;

use std::sync::Arc;
use std::time::Duration;

use protocol::{Funnel, VisitStep};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use self::shopper::Shoppers;
use self::visit_plan::VisitPlan;

/// How many shoppers visit at the same time; others wait until one of them leaves.
const VISITS_AT_ONCE_MAX: usize = 32;

/// How many shoppers come, and how fast.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// The service's origin: `http://127.0.0.1:8080`.
    pub origin: String,
    /// The merchant's key.
    pub secret_key: String,
    /// The topic of events.
    pub topic: String,
    /// How many shoppers come per minute.
    pub shoppers_per_minute: u32,
    /// How many shoppers come in all; if absent, there is no limit.
    pub shoppers_max: Option<u64>,
    /// The same seed brings the same shoppers.
    pub seed: u64,
    /// How long a shopper takes for each step, as a multiple of what people take.
    pub pace_factor: f64,
}

/// The results of all visits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrafficResult {
    /// How far their visits came.
    pub funnel: Funnel,
    /// How many visits ended early, because the service did not answer as it should.
    pub failed_visits: u64,
}

impl Traffic {
    /// Starts visits until `stop` is true or all shoppers have come; then waits for the visits under way.
    pub async fn run(self, mut stop: watch::Receiver<bool>) -> Result<TrafficResult, reqwest::Error> {
        let (seed, shoppers_max) = (self.seed, self.shoppers_max.unwrap_or(u64::MAX));
        let pause = Duration::from_secs(60) / self.shoppers_per_minute.max(1);
        let shoppers = Arc::new(Shoppers::new(self)?);
        let room = Arc::new(Semaphore::new(VISITS_AT_ONCE_MAX));
        let mut next = tokio::time::interval(pause.max(Duration::from_millis(1)));
        next.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut visits = JoinSet::new();
        let mut result = TrafficResult::default();
        for number in 0..shoppers_max {
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => break,
                _ = next.tick() => {}
            }
            let Ok(place) = Arc::clone(&room).acquire_owned().await else {
                break;
            };
            let plan = VisitPlan::draw(seed, number);
            let (shoppers, stop) = (Arc::clone(&shoppers), stop.clone());
            visits.spawn(async move {
                let _place = place;
                shoppers.visit(plan, stop).await
            });
            while let Some(ended) = visits.try_join_next() {
                result.add(ended.ok().flatten());
            }
        }
        while let Some(ended) = visits.join_next().await {
            result.add(ended.ok().flatten());
        }
        tracing::info!(
            visits = result.funnel.viewed,
            submitted = result.funnel.submitted,
            paid = result.funnel.paid,
            failed = result.failed_visits,
            "the simulated shoppers have left"
        );
        Ok(result)
    }
}

impl TrafficResult {
    fn add(&mut self, step: Option<VisitStep>) {
        match step {
            Some(step) => self.funnel.add(step, 1),
            None => self.failed_visits += 1,
        }
    }
}
