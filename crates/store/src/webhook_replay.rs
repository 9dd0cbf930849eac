//! The outbox for the operator: lists events, and sends them again.

use protocol::webhook_schedule::{RETRY_FOR_MS, WAIT_FOR_EARLIER_MS};

use serde::Deserialize;

use super::sql::query;
use super::webhook_event::{
    EVENT_ID, GIVEN_UP, SEQUENCE, SHOWN_STATE, call_added, lock_charge, release_next,
};
use super::write::retried;
use super::{Store, StoreError};

/// The entry among the calls of an event that marks a replay.
pub const REPLAYED: &str = "replayed";

/// An event in the operator's list, with its delivery to one endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ListedEvent {
    /// `evt_…`; the same for each endpoint that gets it.
    pub id: String,
    /// The merchant.
    pub partner_id: String,
    /// See [`EndpointKey::endpoint_id`](super::EndpointKey::endpoint_id).
    pub endpoint_id: String,
    /// The charge that changed.
    pub charge_id: String,
    /// Its sequence number among the events of the charge.
    pub number: i64,
    /// `charge.succeeded` and so on.
    pub kind: String,
    /// `due`, `queued` behind an earlier event of the charge, `delivered` or `given_up`.
    pub state: String,
    /// How often it has been tried.
    pub tries: i64,
    /// The last answer's status, or why there was none.
    pub last_result: Option<String>,
    /// When the charge changed, in unix milliseconds.
    pub created_at: i64,
    /// When a due one is tried next, in unix milliseconds.
    pub next_try_at: i64,
}

/// Which events are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSelection<'a> {
    /// The one with this id, for each endpoint that gets it.
    Event(&'a str),
    /// All events of this charge.
    OfCharge(&'a str),
    /// All events of this merchant.
    OfPartner(&'a str),
    /// The given-up events of this merchant.
    GivenUp(&'a str),
}

impl EventSelection<'_> {
    fn condition(self) -> &'static str {
        match self {
            Self::Event(_) => {
                "e.charge_id = (SELECT charge_id FROM webhook_events WHERE id = $1) AND (e.id = $1 OR e.event_id = $1)"
            }
            Self::OfCharge(_) => "e.charge_id = $1",
            Self::OfPartner(_) => "e.partner_id = $1",
            Self::GivenUp(_) => "e.partner_id = $1 AND e.state = 'given_up'",
        }
    }

    fn value(&self) -> &str {
        match self {
            Self::Event(id) | Self::OfCharge(id) | Self::OfPartner(id) | Self::GivenUp(id) => id,
        }
    }
}

/// The condition that the event `e` can be sent.
const HAS_ENDPOINT: &str = "(EXISTS (SELECT 1 FROM further_webhook_endpoints w WHERE w.id = e.endpoint_id) \
     OR (e.endpoint_id = '' AND EXISTS (SELECT 1 FROM webhook_endpoints w WHERE w.partner_id = e.partner_id)))";

impl Store {
    /// Gives up events whose endpoint is gone: on PostgreSQL another node may write one while the endpoint is removed.
    /// Returns how many.
    pub async fn give_up_orphaned_events(&self, now_ms: i64) -> Result<u64, StoreError> {
        let sql = format!(
            "UPDATE webhook_events AS e SET {GIVEN_UP} WHERE state IN ('due', 'queued') AND NOT {HAS_ENDPOINT}"
        );
        query(sql).bind(now_ms).write(&self.writer).await
    }

    /// The newest of these events, at most `limit`.
    pub async fn webhook_events(
        &self,
        which: EventSelection<'_>,
        limit: i64,
    ) -> Result<Vec<ListedEvent>, StoreError> {
        let sql = format!(
            "SELECT {EVENT_ID} AS id, e.partner_id, e.endpoint_id, e.charge_id, {SEQUENCE} AS number, e.kind, {SHOWN_STATE}, \
             e.tries, e.last_result, e.created_at, e.next_try_at FROM webhook_events e WHERE {} \
             ORDER BY e.created_at DESC, e.number DESC LIMIT $2",
            which.condition()
        );
        Ok(query(sql)
            .bind(which.value())
            .bind(limit)
            .fetch_all(&self.readers)
            .await?)
    }

    /// Sends these events again, those of a charge in their order and before its unsent events, and ends the pauses of their
    /// endpoints. Returns how many. They keep their ids, by which a receiver recognizes them. Events of an endpoint that was
    /// removed are not sent, unless it is the first one and was set again.
    pub async fn replay_events(&self, which: EventSelection<'_>, now_ms: i64) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT DISTINCT e.charge_id FROM webhook_events e WHERE {} AND e.finished_at IS NOT NULL AND {HAS_ENDPOINT}",
            which.condition()
        );
        let charges: Vec<String> = query(sql).bind(which.value()).fetch_all(&self.readers).await?;
        // A receiver that still does not answer is paused again, as long as before.
        for (table, column) in [
            ("webhook_endpoints", "partner_id"),
            ("further_webhook_endpoints", "id"),
        ] {
            let sql = format!(
                "UPDATE {table} SET paused_until = 0 WHERE paused_until > 0 AND {column} IN (SELECT \
                 CASE e.endpoint_id WHEN '' THEN e.partner_id ELSE e.endpoint_id END FROM webhook_events e WHERE {})",
                which.condition()
            );
            query(sql).bind(which.value()).write(&self.writer).await?;
        }
        let mut replayed = 0;
        for charge_id in charges {
            replayed += self.replay_events_of(&charge_id, which, now_ms).await?;
        }
        Ok(replayed)
    }

    async fn replay_events_of(
        &self,
        charge_id: &str,
        which: EventSelection<'_>,
        now_ms: i64,
    ) -> Result<u64, StoreError> {
        retried(|| async {
            let mut tx = self.write().await?;
            lock_charge(&mut tx, charge_id).await?;
            let sql = format!(
                "UPDATE webhook_events AS e SET state = 'due', tries = 0, finished_at = NULL, last_result = NULL, \
                 give_up_at = $2, {} WHERE {} AND e.charge_id = $3 AND e.finished_at IS NOT NULL AND {HAS_ENDPOINT}",
                call_added("$4"),
                which.condition()
            );
            let replayed = query(sql)
                .bind(which.value())
                .bind(now_ms + RETRY_FOR_MS)
                .bind(charge_id)
                .bind(format!("{now_ms} 0 {REPLAYED}\n"))
                .execute(&mut tx)
                .await?;
            // A due event, or one that is being sent, may be newer than these.
            query(
                "UPDATE webhook_events SET state = 'due', tries = 0, leased_until = 0, next_try_at = $1 \
                 WHERE charge_id = $2 AND finished_at IS NULL",
            )
            .bind(now_ms + WAIT_FOR_EARLIER_MS)
            .bind(charge_id)
            .execute(&mut tx)
            .await?;
            release_next(&mut tx, charge_id, now_ms).await?;
            tx.commit().await?;
            Ok(replayed)
        })
        .await
    }
}
