//! The simulator's list of payments, page by page.

use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;

use super::payment::{ListedEntry, PaymentPage};
use super::{SimulatorConnector, outcome_of};
use crate::answer::read_list;
use crate::{ListError, ListedPayment};

impl SimulatorConnector {
    pub(crate) async fn payments_since(
        &self,
        since: i64,
        timeout: Duration,
    ) -> Result<Vec<ListedPayment>, ListError> {
        let mut payments = Vec::new();
        let mut next = Some(0);
        while let Some(from) = next {
            let page = self.page(since, from, timeout).await?;
            for entry in page.payments {
                payments.push(read_entry(entry).ok_or(ListError::Unreadable)?);
            }
            next = page.next;
        }
        Ok(payments)
    }

    async fn page(&self, since: i64, from: usize, timeout: Duration) -> Result<PaymentPage, ListError> {
        let mut url = self.payments.clone();
        url.query_pairs_mut()
            .append_pair("since", &since.to_string())
            .append_pair("from", &from.to_string());
        let sent = self.client.get(url).timeout(timeout).send().await;
        let answer = sent.map_err(|_| ListError::Unreachable)?;
        if answer.status() != StatusCode::OK {
            return Err(ListError::Unreachable);
        }
        serde_json::from_slice(&read_list(answer).await).map_err(|_| ListError::Unreachable)
    }
}

fn read_entry(entry: ListedEntry) -> Option<ListedPayment> {
    Some(ListedPayment {
        idempotency_key: entry.idempotency_key,
        reference: None,
        charge_id: entry.charge_id,
        amount_value: entry.amount_value,
        amount_currency: entry.amount_currency,
        told: entry.told.map(Arc::unwrap_or_clone),
        at: entry.at,
        outcome: outcome_of(entry.payment)?,
    })
}
