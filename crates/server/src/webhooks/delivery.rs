//! Sends due events: bounded in number and per merchant, so that a slow or dead receiver holds up neither other
//! merchants nor any charge.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::clock::Clock;
use model::webhook_schedule::{next_try, paused_until};
use store::{Actor, DeliveryOutcome, DueEvent, Store, StoreError, StoredWebhookSecret};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::secret_at_rest::{ClosedSecret, change_over, opened};
use super::sender::{CALL_TIMEOUT, Called, Sender};
use crate::keys::card_vault::CardVault;

/// Calls at once in this process.
const CALLS_MAX: usize = 64;
/// Calls at once to one merchant.
const CALLS_PER_PARTNER_MAX: usize = 4;
/// Merchants that are looked at in one step.
const PARTNERS_PER_LOOK: i64 = 64;
/// For how long a node has an event that it sends. Longer than a call takes, recording included; and none of the pauses
/// between tries, so that whoever reads when an event is tried next knows whether it is being sent or waits.
const LEASE_MS: i64 = 15_000;
/// How long a stopping service waits for calls under way, beside the longest call.
const DRAIN_GRACE: Duration = Duration::from_secs(2);

/// What the room of webhooks has at hand.
pub struct Webhooks {
    store: Store,
    clock: Clock,
    /// Wraps merchants' secrets, if there is one.
    vault: Option<Arc<CardVault>>,
    /// How often the store is looked at.
    interval: Duration,
    sender: Sender,
    news: Notify,
    /// The merchants whose secret cannot be opened, so that each is in the log once.
    // A std lock: it is held for a look and never across an await.
    closed: Mutex<HashSet<String>>,
}

impl Webhooks {
    /// Sends the events of `store`: to public servers alone, or also to private ones.
    pub fn new(
        store: Store,
        clock: Clock,
        vault: Option<Arc<CardVault>>,
        interval: Duration,
        private_networks: bool,
    ) -> Result<Self, reqwest::Error> {
        Ok(Self {
            store,
            clock,
            vault,
            interval,
            sender: Sender::new(private_networks)?,
            news: Notify::new(),
            closed: Mutex::default(),
        })
    }

    /// Has the store looked at now rather than at the next interval.
    pub fn wake(&self) {
        self.news.notify_one();
    }

    /// At start: wraps the secrets that versions before, or nodes without a vault, left as they are; and says which merchants'
    /// cannot be had, since those hear nothing until the key is back.
    pub async fn protect_secrets(&self) -> Result<(), StoreError> {
        let ring = self.vault.as_ref().map(|vault| vault.ring());
        let by = Actor::service(self.clock.now_ms());
        let is_plain = |secret: &StoredWebhookSecret| secret.wrapped_by.is_none();
        let changed = change_over(&self.store, ring.as_deref(), &by, is_plain).await?;
        if changed.rewrapped > 0 {
            tracing::info!(
                count = changed.rewrapped,
                "webhook secrets that lay in the database as they are were wrapped"
            );
        }
        for (partner_id, cause) in &changed.closed {
            self.say_closed(partner_id, cause);
        }
        Ok(())
    }

    /// Says in the log, once until it opens again, that a merchant's secret cannot be opened.
    pub(super) fn say_closed(&self, partner_id: &str, cause: &ClosedSecret) {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if closed.insert(partner_id.to_owned()) {
            tracing::error!(
                "the webhook secret of {partner_id} cannot be opened, and its events wait: {cause}"
            );
        }
    }

    /// Remembers that a merchant's secret opens.
    fn forget_closed(&self, partner_id: &str) {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if closed.remove(partner_id) {
            tracing::info!(partner_id, "the webhook secret opens again");
        }
    }
}

/// Sends what is due, when woken and at every interval, until told to stop.
pub async fn run(webhooks: Arc<Webhooks>, mut stop: watch::Receiver<bool>) {
    let mut calls = Calls::default();
    loop {
        if let Err(cause) = calls.start_due(&webhooks).await {
            tracing::error!(%cause, "webhooks cannot be looked for");
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            () = calls.one_ended(), if !calls.under_way.is_empty() => {}
            () = webhooks.news.notified() => {}
            () = tokio::time::sleep(webhooks.interval) => {}
        }
    }
    // What takes longer is sent again by whoever finds it after its lease.
    let drained = async { while calls.under_way.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(CALL_TIMEOUT + DRAIN_GRACE, drained).await;
}

/// The calls under way in this process.
#[derive(Default)]
struct Calls {
    /// Each returns its merchant.
    under_way: JoinSet<String>,
    per_partner: HashMap<String, usize>,
    /// The merchant that was looked at last; the next look goes on after it, so that all have their turn.
    looked_at: String,
}

impl Calls {
    /// Starts calls for due events while there is room.
    async fn start_due(&mut self, webhooks: &Arc<Webhooks>) -> Result<(), StoreError> {
        let mut from_the_first = self.looked_at.is_empty();
        while self.under_way.len() < CALLS_MAX {
            let now = webhooks.clock.now_ms();
            let partners = webhooks
                .store
                .partners_with_due_events(&self.looked_at, now, PARTNERS_PER_LOOK)
                .await?;
            let Some(last) = partners.last().cloned() else {
                self.looked_at.clear();
                if from_the_first {
                    return Ok(());
                }
                from_the_first = true;
                continue;
            };
            for partner_id in partners {
                self.start_due_of(webhooks, &partner_id, now).await?;
            }
            self.looked_at = last;
        }
        Ok(())
    }

    async fn start_due_of(
        &mut self,
        webhooks: &Arc<Webhooks>,
        partner_id: &str,
        now: i64,
    ) -> Result<(), StoreError> {
        let of_partner = self.per_partner.get(partner_id).copied().unwrap_or_default();
        let room = (CALLS_MAX - self.under_way.len()).min(CALLS_PER_PARTNER_MAX - of_partner);
        if room == 0 {
            return Ok(());
        }
        let limit = i64::try_from(room).unwrap_or(i64::MAX);
        let events = webhooks
            .store
            .claim_due_events(partner_id, limit, now, now + LEASE_MS)
            .await?;
        for event in events {
            *self.per_partner.entry(partner_id.to_owned()).or_default() += 1;
            let webhooks = Arc::clone(webhooks);
            self.under_way.spawn(async move {
                if let Err(cause) = send(&webhooks, &event).await {
                    tracing::error!(%cause, event_id = event.id, "what became of a webhook could not be recorded");
                }
                event.partner_id
            });
        }
        Ok(())
    }

    async fn one_ended(&mut self) {
        match self.under_way.join_next().await {
            Some(Ok(partner_id)) => {
                if let Some(count) = self.per_partner.get_mut(&partner_id) {
                    *count -= 1;
                    if *count == 0 {
                        self.per_partner.remove(&partner_id);
                    }
                }
            }
            // A call that panicked does not say whose it was; all counts begin anew, and its event's lease runs out.
            Some(Err(_)) => self.per_partner.clear(),
            None => {}
        }
    }
}

/// Calls the endpoint, if its secret opens.
async fn call(webhooks: &Webhooks, event: &DueEvent) -> Called {
    let ring = webhooks.vault.as_ref().map(|vault| vault.ring());
    match opened(ring.as_deref(), &event.partner_id, &event.secret) {
        Ok(secret) => {
            webhooks.forget_closed(&event.partner_id);
            let now = webhooks.clock.now_seconds();
            webhooks.sender.call(event, &secret, now).await
        }
        Err(cause) => {
            webhooks.say_closed(&event.partner_id, &cause);
            Called::Closed
        }
    }
}

/// Sends one event and records what became of it.
async fn send(webhooks: &Webhooks, event: &DueEvent) -> Result<(), StoreError> {
    let called = call(webhooks, event).await;
    let now = webhooks.clock.now_ms();
    let silent_calls = match called {
        Called::Silent(_) | Called::Closed => event.silent_calls + 1,
        _ => 0,
    };
    let until = if silent_calls == 0 {
        0
    } else {
        paused_until(silent_calls, now)
    };
    if silent_calls != event.silent_calls {
        webhooks
            .store
            .pause_webhook_endpoint(&event.partner_id, silent_calls, until)
            .await?;
    }
    let sent = match called {
        Called::Heard(_) => DeliveryOutcome::Delivered,
        // That is the operator's to mend, and what waited goes out within minutes after.
        Called::Closed if now < event.give_up_at => DeliveryOutcome::Again(until.min(event.give_up_at)),
        _ => next_try(event.tries, &event.id, now, event.give_up_at)
            .map_or(DeliveryOutcome::GivenUp, DeliveryOutcome::Again),
    };
    if sent == DeliveryOutcome::GivenUp {
        tracing::warn!(
            event_id = event.id,
            charge_id = event.charge_id,
            "a webhook was given up; `cardform webhook replay` sends it again"
        );
    }
    webhooks
        .store
        .finish_event(event, sent, &called.result(), now)
        .await
}
