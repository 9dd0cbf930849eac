//! Disputes of a provider that lists them in place of sending events.

use store::StoreError;

use crate::charges::Charges;
use crate::charges::provider_call::LOOKUP_TIMEOUT;

/// Records how disputes changed since `since`, in unix milliseconds, and moves it to the time after the last change.
pub async fn record_listed_disputes(charges: &Charges, since: &mut i64) -> Result<(), StoreError> {
    for change in charges.provider.disputes_since(*since, LOOKUP_TIMEOUT).await {
        let now = charges.clock.now_ms();
        let recorded = charges
            .store
            .record_dispute(&change.provider_key, &change.dispute, now);
        if recorded.await? == Some(true) {
            charges.webhooks.wake();
        }
        *since = change.at + 1;
    }
    Ok(())
}
