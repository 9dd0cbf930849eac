//! The simulator's list of payments, page by page.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, StatusCode};
use protocol::ListedPayment;

use super::payment::{ListedEntry, PaymentPage};
use super::{PAYMENTS, SimulatorConnector, outcome_of};
use crate::ListError;

impl SimulatorConnector {
    pub(super) async fn all_payments_since(
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
        let path = format!("{PAYMENTS}?since={since}&from={from}");
        let address = self.client.address(&path).map_err(|_| ListError::Unreachable)?;
        let request = self.client.request(Method::GET, address);
        let sent = self.client.send(request, Bytes::new(), timeout);
        let answer = sent.await.ok_or(ListError::Unreachable)?;
        if answer.status != StatusCode::OK {
            return Err(ListError::Unreachable);
        }
        serde_json::from_slice(&answer.body).map_err(|_| ListError::Unreachable)
    }
}

fn read_entry(entry: ListedEntry) -> Option<ListedPayment> {
    Some(ListedPayment {
        provider_key: entry.idempotency_key,
        reference: None,
        charge_id: entry.charge_id,
        amount_value: entry.amount_value,
        amount_currency: entry.amount_currency,
        description: entry.description.map(Arc::unwrap_or_clone),
        at: entry.at,
        outcome: outcome_of(entry.payment)?.settled(),
    })
}
