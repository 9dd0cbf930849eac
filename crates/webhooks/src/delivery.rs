//! Sends due events. The calls are limited in all and for each merchant, so that a slow or dead receiver delays neither
//! other merchants nor any charge.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use protocol::clock::Clock;
use protocol::webhook_schedule::{UNANSWERED_TRIES_MAX, next_try, paused_until};
use serde_json::json;
use store::{
    Actor, AuditAction, DeliveryOutcome, DueEndpoint, DueEvent, EndpointCall, EndpointKey, Store, StoreError,
};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::secret_at_rest::{WebhookSecretError, opened, rewrap};
use super::sender::{CALL_TIMEOUT, CallOutcome, Sender};
use merchants::keys::card_vault::CardVault;

/// How many calls this process makes at the same time.
const CALLS_MAX: usize = 64;
/// How many calls it makes to one merchant at the same time. The merchant's endpoints share them, so that one that does not
/// answer leaves some to the others.
const CALLS_PER_PARTNER_MAX: usize = 4;
/// How many endpoints are read from the database in one step.
const ENDPOINTS_PER_LOOK: i64 = 64;
/// How long a node's lease on an event lasts, in milliseconds. It is longer than a call with its recording. It differs
/// from every pause between tries, so that the time of the next try tells whether an event is being sent or waits.
const LEASE_MS: i64 = 15_000;
/// How long a stopping service waits for running calls, in addition to the longest call.
const DRAIN_GRACE: Duration = Duration::from_secs(2);

/// The status of an endpoint that wants no events any more.
const GONE: u16 = 410;
/// The longest pause that a receiver may ask for.
const ASKED_PAUSE_MAX: Duration = Duration::from_hours(1);

/// The state of the webhooks.
pub struct Webhooks {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    /// Wraps merchants' secrets; `None` without a vault.
    pub(crate) vault: Option<Arc<CardVault>>,
    /// Whether events may be sent to private networks.
    pub(crate) private_networks: bool,
    /// How often the database is read for due events.
    interval: Duration,
    sender: Sender,
    wakeup: Notify,
    /// The endpoints whose secret cannot be opened, so that each is logged once.
    // A std lock, because no await happens while it is held.
    unavailable: Mutex<HashSet<EndpointKey>>,
}

impl Webhooks {
    /// Sends the events in `store`, to public servers only unless `private_networks` is true.
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
            private_networks,
            interval,
            sender: Sender::new(private_networks)?,
            wakeup: Notify::new(),
            unavailable: Mutex::default(),
        })
    }

    /// Reads the database for due events now, without waiting for the next interval.
    pub fn wake(&self) {
        self.wakeup.notify_one();
    }

    /// Called at start. Reports which endpoints' secrets cannot be opened: these get no events until the operator has
    /// repaired it.
    pub async fn check_secrets(&self) -> Result<(), StoreError> {
        let ring = self.vault.as_ref().map(|vault| vault.ring());
        let by = self.service_actor();
        let result = rewrap(&self.store, ring.as_deref(), &by, |_| false).await?;
        for (endpoint, cause) in &result.unavailable {
            self.report_unavailable_secret(endpoint, cause).await;
        }
        Ok(())
    }

    /// Reports once, until the secret opens again, that an endpoint's secret cannot be opened. One that is refused is also
    /// noted in the audit log.
    async fn report_unavailable_secret(&self, endpoint: &EndpointKey, cause: &WebhookSecretError) {
        let partner_id = &endpoint.partner_id;
        let is_new = {
            let mut unavailable = self.unavailable.lock().unwrap_or_else(PoisonError::into_inner);
            unavailable.insert(endpoint.clone())
        };
        if !is_new {
            return;
        }
        tracing::error!("the webhook secret of {partner_id} cannot be opened, and its events wait: {cause}");
        if *cause == WebhookSecretError::Plain {
            let action = AuditAction::WebhookSecretRefused;
            let by = self.service_actor();
            let recorded = self
                .store
                .record_action(&by, action, partner_id, &json!({}))
                .await;
            if let Err(cause) = recorded {
                tracing::error!(%cause, partner_id, "the refused secret could not be noted in the audit log");
            }
        }
    }

    fn service_actor(&self) -> Actor {
        Actor::service(self.clock.now_ms())
    }

    /// Notes that an endpoint's secret can be opened.
    fn note_available_secret(&self, endpoint: &EndpointKey) {
        let mut unavailable = self.unavailable.lock().unwrap_or_else(PoisonError::into_inner);
        if unavailable.remove(endpoint) {
            tracing::info!(
                partner_id = endpoint.partner_id,
                "the webhook secret can be opened again"
            );
        }
    }
}

/// Sends due events, at every interval and when woken, until `stop` is true.
pub async fn run(webhooks: Arc<Webhooks>, mut stop: watch::Receiver<bool>) {
    let mut calls = Calls::default();
    loop {
        if let Err(cause) = calls.start_due(&webhooks).await {
            tracing::error!(%cause, "due webhooks could not be read from the database");
        }
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            () = calls.one_ended(), if !calls.under_way.is_empty() => {}
            () = webhooks.wakeup.notified() => {}
            () = tokio::time::sleep(webhooks.interval) => {}
        }
    }
    // An event whose call takes longer is sent again by any node after its lease.
    let drained = async { while calls.under_way.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(CALL_TIMEOUT + DRAIN_GRACE, drained).await;
}

/// The running calls of this process.
struct Calls {
    /// Each returns its endpoint.
    under_way: JoinSet<EndpointKey>,
    per_endpoint: HashMap<EndpointKey, usize>,
    /// The endpoint that was read last. The next step continues after it, so that every merchant gets its turn.
    looked_at: EndpointKey,
    /// Counts the steps. Each begins with another endpoint, so that every endpoint of a merchant gets its turn.
    step: usize,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            under_way: JoinSet::new(),
            per_endpoint: HashMap::new(),
            looked_at: EndpointKey::first(""),
            step: 0,
        }
    }
}

impl Calls {
    /// Starts calls for due events while the limit allows it.
    async fn start_due(&mut self, webhooks: &Arc<Webhooks>) -> Result<(), StoreError> {
        let mut from_the_first = self.looked_at.partner_id.is_empty();
        while self.under_way.len() < CALLS_MAX {
            let now = webhooks.clock.now_ms();
            let mut endpoints = webhooks
                .store
                .endpoints_with_due_events(&self.looked_at, now, ENDPOINTS_PER_LOOK)
                .await?;
            let Some(last) = endpoints.last().map(|last| last.key.clone()) else {
                self.looked_at = EndpointKey::first("");
                if from_the_first {
                    return Ok(());
                }
                from_the_first = true;
                continue;
            };
            self.step = self.step.wrapping_add(1);
            let count = endpoints.len();
            endpoints.rotate_left(self.step % count);
            for endpoint in endpoints {
                self.start_due_of(webhooks, &endpoint).await?;
            }
            self.looked_at = last;
        }
        Ok(())
    }

    /// How many more calls to this endpoint can be started.
    fn room(&self, endpoint: &DueEndpoint) -> usize {
        let key = &endpoint.key;
        let running = self.per_endpoint.iter();
        let of_partner: usize = running
            .filter(|(other, _)| other.partner_id == key.partner_id)
            .map(|(_, count)| count)
            .sum();
        let of_endpoint = self.per_endpoint.get(key).copied().unwrap_or_default();
        let siblings = usize::try_from(endpoint.siblings).unwrap_or(1).max(1);
        let share = (CALLS_PER_PARTNER_MAX / siblings).max(1);
        (CALLS_MAX - self.under_way.len())
            .min(CALLS_PER_PARTNER_MAX.saturating_sub(of_partner))
            .min(share.saturating_sub(of_endpoint))
    }

    async fn start_due_of(
        &mut self,
        webhooks: &Arc<Webhooks>,
        endpoint: &DueEndpoint,
    ) -> Result<(), StoreError> {
        let room = self.room(endpoint);
        if room == 0 {
            return Ok(());
        }
        let limit = i64::try_from(room).unwrap_or(i64::MAX);
        let key = &endpoint.key;
        let now = webhooks.clock.now_ms();
        let events = webhooks
            .store
            .claim_due_events(key, limit, now, now + LEASE_MS)
            .await?;
        for event in events {
            *self.per_endpoint.entry(key.clone()).or_default() += 1;
            let webhooks = Arc::clone(webhooks);
            self.under_way.spawn(async move {
                if let Err(cause) = send(&webhooks, &event).await {
                    tracing::error!(
                        %cause,
                        event_id = event.event_id,
                        charge_id = event.charge_id,
                        partner_id = event.partner_id,
                        "the result of a webhook could not be recorded"
                    );
                }
                event.endpoint()
            });
        }
        Ok(())
    }

    async fn one_ended(&mut self) {
        match self.under_way.join_next().await {
            Some(Ok(endpoint)) => {
                if let Some(count) = self.per_endpoint.get_mut(&endpoint) {
                    *count -= 1;
                    if *count == 0 {
                        self.per_endpoint.remove(&endpoint);
                    }
                }
            }
            // A call that panicked does not return its endpoint, so all counts start again; its event's lease ends by
            // itself.
            Some(Err(_)) => self.per_endpoint.clear(),
            None => {}
        }
    }
}

/// Calls the endpoint, if its secret can be opened.
async fn call(webhooks: &Webhooks, event: &DueEvent) -> CallOutcome {
    let ring = webhooks.vault.as_ref().map(|vault| vault.ring());
    match opened(ring.as_deref(), &event.partner_id, &event.secret) {
        Ok(secret) => {
            webhooks.note_available_secret(&event.endpoint());
            let now = webhooks.clock.now_seconds();
            webhooks.sender.call(event, &secret, now).await
        }
        Err(cause) => {
            webhooks
                .report_unavailable_secret(&event.endpoint(), &cause)
                .await;
            CallOutcome::SecretUnavailable
        }
    }
}

/// Sends one event and records the result.
async fn send(webhooks: &Webhooks, event: &DueEvent) -> Result<(), StoreError> {
    let began = Instant::now();
    let outcome = call(webhooks, event).await;
    let took_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
    let now = webhooks.clock.now_ms();
    let silent_calls = match outcome {
        // With the last three a proxy tells that the receiver is down.
        CallOutcome::NoAnswer(_) | CallOutcome::SecretUnavailable | CallOutcome::Refused(502..=504, None) => {
            event.silent_calls + 1
        }
        _ => 0,
    };
    let tries = match silent_calls {
        0 => event.tries,
        _ => event.tries.min(UNANSWERED_TRIES_MAX),
    };
    let until = match (silent_calls, outcome) {
        (0, CallOutcome::Refused(_, Some(wait))) => {
            now + i64::try_from(wait.min(ASKED_PAUSE_MAX).as_millis()).unwrap_or_default()
        }
        (0, _) => 0,
        (calls, _) => paused_until(calls, now),
    };
    if silent_calls != event.silent_calls || until > now {
        webhooks
            .store
            .pause_webhook_endpoint(&event.endpoint(), silent_calls, until)
            .await?;
    }
    let sent = match outcome {
        CallOutcome::Accepted(_) => DeliveryOutcome::Delivered,
        CallOutcome::Refused(GONE, _) => DeliveryOutcome::GivenUp,
        // The operator must repair the vault's keys. The event waits for the endpoint's short pause and not for the
        // schedule, so that it is sent within minutes after the repair.
        CallOutcome::SecretUnavailable if now < event.give_up_at => {
            DeliveryOutcome::Again(until.min(event.give_up_at))
        }
        _ => next_try(tries, &event.id, now, event.give_up_at)
            .map_or(DeliveryOutcome::GivenUp, DeliveryOutcome::Again),
    };
    if sent == DeliveryOutcome::GivenUp {
        tracing::warn!(
            event_id = event.event_id,
            charge_id = event.charge_id,
            partner_id = event.partner_id,
            "a webhook was given up; `cardform webhook replay` sends it again"
        );
    }
    let result = &outcome.result();
    let call = EndpointCall { result, took_ms };
    webhooks.store.finish_event(event, sent, &call, now).await?;
    if matches!(outcome, CallOutcome::Refused(GONE, _)) {
        switch_off(webhooks, event, now).await?;
    }
    Ok(())
}

/// Removes an endpoint that answered that it is gone, as Standard Webhooks says, unless it was moved meanwhile.
async fn switch_off(webhooks: &Webhooks, event: &DueEvent, now: i64) -> Result<(), StoreError> {
    let (partner_id, store) = (&event.partner_id, &webhooks.store);
    let (endpoint, url) = (event.endpoint(), Some(event.url.as_str()));
    if !store.remove_webhook_endpoint(&endpoint, url, now).await? {
        return Ok(());
    }
    tracing::error!(
        partner_id,
        endpoint_id = event.endpoint_id,
        "a webhook endpoint answered 410 and was removed; `cardform webhook set` adds it again"
    );
    let by = Actor::service(now);
    let detail = json!({ "answered": GONE, "endpoint": event.endpoint_id });
    store
        .record_action(&by, AuditAction::WebhookRemoved, partner_id, &detail)
        .await
}
