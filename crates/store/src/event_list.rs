//! A merchant's webhook events, the newest first, page by page, and one that is sent again.

use serde::Deserialize;

use super::list_position::{BETWEEN, LOOKED_AT_MAX, ListPosition, PAGE_MAX, cut_page, rows_read};
use super::sql::{Query, places, query};
use super::webhook_event::SHOWN_STATE;
use super::{EventSelection, Store, StoreError};

/// Which events of a merchant are listed: all, or those with these values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// `charge.succeeded` and so on.
    pub kind: Option<String>,
    /// Of this charge.
    pub charge_id: Option<String>,
}

/// An event as its merchant sees it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MerchantEvent {
    /// `evt_…`, the `webhook-id`.
    pub id: String,
    /// The charge that changed.
    pub charge_id: String,
    /// Its place among the events of the charge, from 1.
    pub number: i64,
    /// The body that is sent, without the number.
    pub payload: String,
    /// When the charge changed, in unix milliseconds.
    pub created_at: i64,
    /// Its first row.
    #[serde(flatten)]
    pub first: StoredDelivery,
    /// Its rows for the merchant's other endpoints.
    #[serde(skip)]
    pub others: Vec<StoredDelivery>,
}

/// An event at one endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredDelivery {
    /// `we_…`; empty for the merchant's first endpoint.
    pub endpoint_id: String,
    /// How often it has been tried.
    pub tries: i64,
    /// The last answer's status, or why there was none.
    pub last_result: Option<String>,
    /// When a due one is tried next, in unix milliseconds.
    pub next_try_at: i64,
    /// `due`, `queued` behind an earlier event of the charge, `delivered` or `given_up`.
    pub state: String,
}

#[derive(Deserialize)]
struct OtherDelivery {
    event_id: String,
    #[serde(flatten)]
    delivery: StoredDelivery,
}

/// Some events of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// The newest first. They can be fewer than asked for, even none, although more events follow.
    pub events: Vec<MerchantEvent>,
    /// Where the next page begins; `None` after the last event.
    pub next: Option<ListPosition>,
}

const COLUMNS: &str =
    "id, charge_id, number, payload, tries, last_result, created_at, next_try_at, endpoint_id";

impl Store {
    /// Up to `limit` of this merchant's events behind `after`, at most 100.
    pub async fn listed_events(
        &self,
        partner_id: &str,
        filter: &EventFilter,
        after: Option<&ListPosition>,
        limit: usize,
    ) -> Result<EventPage, StoreError> {
        let limit = limit.clamp(1, PAGE_MAX);
        let end = ListPosition::before(i64::MAX);
        let from = after.unwrap_or(&end);
        let begin = ListPosition::before(0);
        // A charge has few events, so all of them are looked at.
        let last = if filter.kind.is_some() && filter.charge_id.is_none() {
            let tail = format!("LIMIT 1 OFFSET {}", LOOKED_AT_MAX - 1);
            let all = EventFilter::default();
            let statement = between("created_at, id", partner_id, from, &begin, &all, &tail);
            statement.fetch_optional::<ListPosition>(&self.readers).await?
        } else {
            None
        };
        let until = last.as_ref().unwrap_or(&begin);
        let tail = format!("LIMIT {}", rows_read(limit));
        let columns = format!("{COLUMNS}, {SHOWN_STATE}");
        let statement = between(&columns, partner_id, from, until, filter, &tail);
        let mut events: Vec<MerchantEvent> = statement.fetch_all(&self.readers).await?;
        let next = cut_page(&mut events, limit, |event| (event.created_at, &event.id)).or(last);
        self.add_others(&mut events).await?;
        Ok(EventPage { events, next })
    }

    /// Sends an event of this merchant again, as [`Store::replay_events`] does; one that waits for its retry is sent now.
    /// Returns the event as it is then, or `None` if the merchant has no such event.
    pub async fn resend_event(
        &self,
        partner_id: &str,
        id: &str,
        now_ms: i64,
    ) -> Result<Option<MerchantEvent>, StoreError> {
        let Some(event) = self.event_of_partner(partner_id, id).await? else {
            return Ok(None);
        };
        if self.replay_events(EventSelection::Event(id), now_ms).await? == 0 {
            // It is not finished, so its time and its place in the order stay as they are unless it waits for its retry.
            query(
                "UPDATE webhook_events SET next_try_at = $1 WHERE charge_id = $2 AND (id = $3 OR event_id = $3) \
                 AND state = 'due' AND tries > 0 AND leased_until = 0 AND next_try_at > $1",
            )
            .bind(now_ms)
            .bind(&event.charge_id)
            .bind(id)
            .write(&self.writer)
            .await?;
        }
        self.event_of_partner(partner_id, id).await
    }

    async fn event_of_partner(
        &self,
        partner_id: &str,
        id: &str,
    ) -> Result<Option<MerchantEvent>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, {SHOWN_STATE} FROM webhook_events e WHERE id = $1 AND partner_id = $2"
        );
        let found = query(sql).bind(id).bind(partner_id);
        let mut events: Vec<MerchantEvent> = found.fetch_all(&self.readers).await?;
        self.add_others(&mut events).await?;
        Ok(events.pop())
    }

    /// Adds the rows for the merchant's other endpoints. They are found by the events' charges.
    async fn add_others(&self, events: &mut [MerchantEvent]) -> Result<(), StoreError> {
        if events.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "SELECT event_id, endpoint_id, tries, last_result, next_try_at, {SHOWN_STATE} FROM webhook_events e \
             WHERE charge_id IN ({}) AND event_id IS NOT NULL ORDER BY number",
            places(1, events.len())
        );
        let of_charges = events
            .iter()
            .fold(query(sql), |query, event| query.bind(event.charge_id.clone()));
        let others: Vec<OtherDelivery> = of_charges.fetch_all(&self.readers).await?;
        for event in events {
            let own = others.iter().filter(|other| other.event_id == event.id);
            event.others = own.map(|other| other.delivery.clone()).collect();
        }
        Ok(())
    }
}

/// Reads these columns of the merchant's events behind `from` up to `until`.
fn between<'a>(
    columns: &str,
    partner_id: &'a str,
    from: &'a ListPosition,
    until: &'a ListPosition,
    filter: &'a EventFilter,
    tail: &str,
) -> Query<'a> {
    // The events of a charge are found by its id alone. An index of the merchant's events would lead through all of them.
    let owner = match filter.charge_id {
        Some(_) => "partner_id || '' = $1",
        None => "partner_id = $1",
    };
    let values: Vec<(&str, &String)> = [("kind", &filter.kind), ("charge_id", &filter.charge_id)]
        .into_iter()
        .filter_map(|(column, value)| Some((column, value.as_ref()?)))
        .collect();
    let more: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(at, (column, _))| format!(" AND {column} = ${}", at + 6))
        .collect();
    let more = more.concat();
    let statement = query(format!(
        "SELECT {columns} FROM webhook_events e WHERE {owner} AND event_id IS NULL AND {BETWEEN}{more} \
         ORDER BY created_at DESC, id DESC {tail}"
    ))
    .bind(partner_id)
    .bind(from.created_at)
    .bind(&from.id)
    .bind(until.created_at)
    .bind(&until.id);
    values
        .into_iter()
        .fold(statement, |statement, (_, value)| statement.bind(value))
}
