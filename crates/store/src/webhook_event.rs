//! The outbox: one event per state change of a charge, written in the same transaction, with one row for each endpoint of the
//! merchant that takes it. The events of a charge are sent to an endpoint in order, but an event that waits for its retry
//! does not delay later ones for long.

use std::sync::LazyLock;

use protocol::ids::{IdKind, new_id_at};
use protocol::webhook_event::EventSubject;
use protocol::webhook_schedule::{RETRY_FOR_MS, WAIT_FOR_EARLIER_MS};

use serde::Deserialize;

use super::charge_view::{Told, view};
use super::sql::{Query, places, query};
use super::webhook_endpoint::{ENDPOINTS, EndpointKey};
use super::write::{Tx, retried};
use super::{Charge, Store, StoreError, StoredWebhookSecret};

/// An event to be sent now to one endpoint, by the node that claimed it.
#[derive(Clone, Deserialize)]
pub struct DueEvent {
    /// Its row.
    pub id: String,
    /// `evt_…`, the `webhook-id`: the same at every try and for every endpoint.
    pub event_id: String,
    /// The merchant.
    pub partner_id: String,
    /// See [`EndpointKey::endpoint_id`].
    pub endpoint_id: String,
    /// The charge that changed.
    pub charge_id: String,
    /// Its sequence number among the events of the charge, the same for every endpoint.
    pub number: i64,
    /// The body to send, without the number.
    pub payload: String,
    /// The number of this try, from 1. If a node died before it recorded its try, the next try has the same number.
    pub tries: i64,
    /// When this node's lease ends, in unix milliseconds.
    pub next_try_at: i64,
    /// When it is given up, in unix milliseconds: a failed try after that is the last one.
    pub give_up_at: i64,
    /// The URL to send it to.
    pub url: String,
    /// The secret that signs it.
    #[serde(flatten)]
    pub secret: StoredWebhookSecret,
    /// How many calls in a row the endpoint did not answer.
    pub silent_calls: i64,
}

impl DueEvent {
    /// The endpoint that gets it.
    pub fn endpoint(&self) -> EndpointKey {
        EndpointKey {
            partner_id: self.partner_id.clone(),
            endpoint_id: self.endpoint_id.clone(),
        }
    }
}

/// How many finished events one transaction deletes. SQLite takes no other write meanwhile.
const DELETED_AT_ONCE: i64 = 500;

/// The outcome of sending an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver accepted it.
    Delivered,
    /// Try again at this time, in unix milliseconds.
    Again(i64),
    /// It was not accepted in time and is given up.
    GivenUp,
}

/// A call to a merchant's endpoint that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointCall<'a> {
    /// The answer's status, or why there was none: words of our own.
    pub result: &'a str,
    /// How long it took, in milliseconds.
    pub took_ms: i64,
}

impl EndpointCall<'_> {
    /// The call as a line of the column `calls`.
    fn line(&self, now_ms: i64) -> String {
        format!("{now_ms} {} {}\n", self.took_ms, self.result)
    }
}

/// How many bytes of calls an event keeps: usually the calls of three days and of some replays. Later ones are left out.
const CALLS_BYTES_MAX: usize = 8_000;

/// The column of calls with this parameter's line added, unless it is full.
pub(super) fn call_added(parameter: &str) -> String {
    format!("calls = CASE WHEN LENGTH(calls) < {CALLS_BYTES_MAX} THEN calls || {parameter} ELSE calls END")
}

/// The condition that no earlier event of the charge to the same endpoint stands in the way of the event `e`: all are
/// finished or wait for their retry, or `e` itself was sent before. `$2` is the time.
const NOTHING_BEFORE: &str = "(e.tries > 0 OR NOT EXISTS (SELECT 1 FROM webhook_events f \
     WHERE f.charge_id = e.charge_id AND f.endpoint_id = e.endpoint_id AND f.number < e.number AND f.finished_at IS NULL \
     AND (f.tries = 0 OR f.leased_until > $2 OR f.next_try_at <= $2)))";

/// The tries of the event `e` once it is claimed. A lease that stands means that the last try was not recorded, because its
/// node died. The receiver may know nothing of that try, so it must not make the pause after the next one longer.
const TRIES: &str = "CASE WHEN e.tries > 0 AND e.leased_until > 0 THEN e.tries ELSE e.tries + 1 END";

/// The state as it is shown: `queued` while an event that was never sent waits for earlier ones of its charge.
pub(super) const SHOWN_STATE: &str = "CASE WHEN e.state = 'due' AND e.tries = 0 AND EXISTS \
     (SELECT 1 FROM webhook_events f WHERE f.charge_id = e.charge_id AND f.endpoint_id = e.endpoint_id \
     AND f.number < e.number AND f.finished_at IS NULL) THEN 'queued' ELSE e.state END AS state";

/// The assignments for events that have no endpoint any more. `$1` is the time.
pub(super) const GIVEN_UP: &str = "state = 'given_up', finished_at = $1, last_result = 'endpoint removed'";

/// The id and the sequence number of a row's event. They are the row's own in the first row of an event, and in rows of
/// older programs.
pub(super) const EVENT_ID: &str = "COALESCE(e.event_id, e.id)";
pub(super) const SEQUENCE: &str = "COALESCE(e.sequence, e.number)";

/// The assignment for charges whose events are about to be deleted: the largest number stays known, because those of later
/// events must be larger.
pub(super) const NUMBER_KEPT: &str = "last_deleted_event = COALESCE((SELECT MAX(number) FROM webhook_events f \
     WHERE f.charge_id = charges.id), last_deleted_event)";

/// The event of a charge that has just changed.
pub(super) struct NewEvent<'a> {
    id: String,
    partner_id: &'a str,
    charge_id: &'a str,
    kind: String,
    payload: String,
    now_ms: i64,
}

impl<'a> NewEvent<'a> {
    /// The event of a charge after its change at `now_ms`.
    pub(super) fn of(charge: &'a Charge, told: Told<'_>, now_ms: i64) -> Result<Self, StoreError> {
        let shown = view(charge, told);
        Self::about(
            &charge.partner_id,
            &charge.id,
            EventSubject::Charge(&shown),
            now_ms,
        )
    }

    /// The event of a change at `now_ms`, among the events of this charge of this merchant.
    pub(super) fn about(
        partner_id: &'a str,
        charge_id: &'a str,
        subject: EventSubject<'_>,
        now_ms: i64,
    ) -> Result<Self, StoreError> {
        let payload = subject.stored_body(now_ms);
        Ok(Self {
            id: new_id_at(IdKind::Event, now_ms),
            partner_id,
            charge_id,
            kind: subject.kind(),
            payload: payload.map_err(|_| StoreError::Unusable("webhook event"))?,
            now_ms,
        })
    }

    /// Writes the event, a row for each of the merchant's endpoints that takes it. The transaction must have locked the
    /// charge's row, so that no other event of the charge is written meanwhile.
    // A number is unique in its charge. The sequence number of an event is its first row's, so it is the same whichever
    // version of the program sends the row.
    pub(super) fn insert(&self) -> Query<'_> {
        static SQL: LazyLock<String> = LazyLock::new(|| {
            format!(
                "INSERT INTO webhook_events (id, partner_id, charge_id, number, kind, payload, state, tries, created_at, \
                 next_try_at, give_up_at, endpoint_id, event_id, sequence) \
                 SELECT CASE r.place WHEN 1 THEN r.id ELSE r.id || '.' || r.place END, r.partner, r.charge, \
                 r.before + r.place, r.kind, r.payload, 'due', 0, r.now, \
                 r.now + CASE WHEN EXISTS (SELECT 1 FROM webhook_events f WHERE f.charge_id = r.charge \
                 AND f.endpoint_id = r.endpoint_id AND f.finished_at IS NULL) THEN {WAIT_FOR_EARLIER_MS} ELSE 0 END, \
                 r.now + {RETRY_FOR_MS}, r.endpoint_id, CASE WHEN r.place > 1 THEN r.id END, \
                 CASE WHEN r.place > 1 THEN r.before + 1 END \
                 FROM (SELECT v.*, w.endpoint_id, ROW_NUMBER() OVER (ORDER BY w.endpoint_id) AS place, \
                 (SELECT COALESCE(MAX(known.number), 0) FROM (SELECT number FROM webhook_events f \
                 WHERE f.charge_id = v.charge UNION ALL SELECT last_deleted_event FROM charges c \
                 WHERE c.id = v.charge) known) AS before \
                 FROM (SELECT CAST($1 AS TEXT) AS id, CAST($2 AS TEXT) AS partner, CAST($3 AS TEXT) AS charge, \
                 CAST($4 AS TEXT) AS kind, CAST($5 AS TEXT) AS payload, CAST($6 AS BIGINT) AS now) v \
                 JOIN {ENDPOINTS} w ON w.partner_id = v.partner \
                 AND (w.events IS NULL OR w.events LIKE '%\"' || v.kind || '\"%')) r"
            )
        });
        query(SQL.as_str())
            .bind(&self.id)
            .bind(self.partner_id)
            .bind(self.charge_id)
            .bind(&self.kind)
            .bind(&self.payload)
            .bind(self.now_ms)
    }
}

impl Store {
    /// Claims up to `limit` of an endpoint's due events for this node until `lease_until`, the longest due first.
    pub async fn claim_due_events(
        &self,
        endpoint: &EndpointKey,
        limit: i64,
        now_ms: i64,
        lease_until: i64,
    ) -> Result<Vec<DueEvent>, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            let due: Vec<DueEvent> = query(format!(
                "SELECT e.id, {EVENT_ID} AS event_id, e.partner_id, e.endpoint_id, e.charge_id, {SEQUENCE} AS number, \
                 e.payload, {TRIES} AS tries, e.next_try_at, e.give_up_at, w.url, w.secret, w.wrapped_by, w.silent_calls \
                 FROM webhook_events e JOIN {} w ON w.{} = $5 \
                 WHERE e.partner_id = $1 AND e.endpoint_id = $4 AND e.state = 'due' AND e.next_try_at <= $2 \
                 AND {NOTHING_BEFORE} ORDER BY e.next_try_at, e.number LIMIT $3",
                endpoint.table(),
                endpoint.column()
            ))
            .bind(&endpoint.partner_id)
            .bind(now_ms)
            .bind(limit)
            .bind(&endpoint.endpoint_id)
            .bind(endpoint.value())
            .fetch_all(&mut tx)
            .await?;
            let mut claimed = Vec::with_capacity(due.len());
            for event in due {
                // Another node may have been faster.
                let changed = query(
                    "UPDATE webhook_events SET next_try_at = $1, leased_until = $1, tries = $2 \
                     WHERE id = $3 AND state = 'due' AND next_try_at = $4",
                )
                .bind(lease_until)
                .bind(event.tries)
                .bind(&event.id)
                .bind(event.next_try_at)
                .execute(&mut tx)
                .await?;
                if changed == 1 {
                    claimed.push(DueEvent {
                        next_try_at: lease_until,
                        ..event
                    });
                }
            }
            tx.commit().await?;
            Ok(claimed)
        })
        .await
    }

    /// Records the call for a claimed event, and makes the endpoint's next event of the charge due once this one is finished. If another
    /// node claimed it meanwhile, the event's state stays that node's.
    pub async fn finish_event(
        &self,
        event: &DueEvent,
        sent: DeliveryOutcome,
        call: &EndpointCall<'_>,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let line = call.line(now_ms);
        retried(|| async {
            let mut tx = self.write().await?;
            let (state, next_try_at, finished_at) = match sent {
                DeliveryOutcome::Again(at) => ("due", at, None),
                DeliveryOutcome::Delivered => ("delivered", event.next_try_at, Some(now_ms)),
                DeliveryOutcome::GivenUp => ("given_up", event.next_try_at, Some(now_ms)),
            };
            lock_charge(&mut tx, &event.charge_id).await?;
            let changed = query(format!(
                "UPDATE webhook_events SET state = $1, next_try_at = $2, leased_until = 0, finished_at = $3, \
                 last_result = $4, {} WHERE id = $5 AND state = 'due' AND next_try_at = $6",
                call_added("$7")
            ))
            .bind(state)
            .bind(next_try_at)
            .bind(finished_at)
            .bind(call.result)
            .bind(&event.id)
            .bind(event.next_try_at)
            .bind(&line)
            .execute(&mut tx)
            .await?;
            if changed == 0 {
                query(format!(
                    "UPDATE webhook_events SET {} WHERE id = $2",
                    call_added("$1")
                ))
                .bind(&line)
                .bind(&event.id)
                .execute(&mut tx)
                .await?;
            }
            if changed == 1 && finished_at.is_some() {
                release_next(&mut tx, &event.charge_id, now_ms).await?;
            }
            tx.commit().await
        })
        .await
    }

    /// Deletes events that were finished before `finished_before`, in unix milliseconds. Returns how many rows. The first row
    /// of an event stays until its other rows are gone, because the event is found by it.
    pub async fn delete_finished_events(&self, finished_before: i64) -> Result<u64, StoreError> {
        let mut deleted = 0;
        loop {
            let some = retried(|| async {
                let mut tx = self.write().await?;
                let some = delete_some(&mut tx, finished_before).await?;
                tx.commit().await?;
                Ok(some)
            });
            let some = some.await?;
            deleted += some;
            if some == 0 {
                return Ok(deleted);
            }
        }
    }
}

async fn delete_some(tx: &mut Tx, finished_before: i64) -> Result<u64, StoreError> {
    let finished: Vec<(String, String)> = query(
        "SELECT id, charge_id FROM webhook_events e WHERE finished_at IS NOT NULL AND finished_at < $1 \
         AND NOT EXISTS (SELECT 1 FROM webhook_events f WHERE f.charge_id = e.charge_id AND f.event_id = e.id) \
         ORDER BY finished_at LIMIT $2",
    )
    .bind(finished_before)
    .bind(DELETED_AT_ONCE)
    .fetch_all(&mut *tx)
    .await?;
    if finished.is_empty() {
        return Ok(0);
    }
    let (ids, charges): (Vec<_>, Vec<_>) = finished.iter().map(|(id, charge)| (&**id, &**charge)).unzip();
    let places = places(1, finished.len());
    query(format!("UPDATE charges SET {NUMBER_KEPT} WHERE id IN ({places})"))
        .bind_each(&charges)
        .execute(&mut *tx)
        .await?;
    // One of them may have been sent again meanwhile.
    let delete = format!("DELETE FROM webhook_events WHERE id IN ({places}) AND finished_at IS NOT NULL");
    Ok(query(delete).bind_each(&ids).execute(tx).await?)
}

/// Locks the charge's row until the transaction ends, so that no event is written meanwhile: it would wait for the
/// event that is being finished.
pub(super) async fn lock_charge(connection: &mut Tx, charge_id: &str) -> Result<(), StoreError> {
    query("UPDATE charges SET updated_at = updated_at WHERE id = $1")
        .bind(charge_id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Makes each endpoint's first event of the charge due that is not finished, unless it was sent before and waits for its
/// retry.
pub(super) async fn release_next(
    connection: &mut Tx,
    charge_id: &str,
    now_ms: i64,
) -> Result<(), StoreError> {
    query(
        "UPDATE webhook_events AS e SET state = 'due', next_try_at = $1 WHERE e.charge_id = $2 \
         AND e.finished_at IS NULL AND e.tries = 0 AND (e.state = 'queued' OR e.next_try_at > $1) \
         AND NOT EXISTS (SELECT 1 FROM webhook_events f WHERE f.charge_id = e.charge_id \
         AND f.endpoint_id = e.endpoint_id AND f.number < e.number AND f.finished_at IS NULL)",
    )
    .bind(now_ms)
    .bind(charge_id)
    .execute(connection)
    .await?;
    Ok(())
}
