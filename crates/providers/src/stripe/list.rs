//! Stripe's list of `PaymentIntent`s, page by page.

use std::time::Duration;

use protocol::ListedPayment;
use serde::Deserialize;

use super::calls::{Deadline, StripeAnswer};
use super::payment::PaymentIntent;
use super::{PAYMENTS, StripeConnector};
use crate::ListError;

/// The longest page that Stripe allows.
const PAYMENTS_PER_PAGE: u32 = 100;

#[derive(Deserialize)]
struct PaymentList {
    data: Vec<PaymentIntent>,
    #[serde(default)]
    has_more: bool,
}

impl StripeConnector {
    /// Our payments, the oldest first. Payments of other programs are left out.
    pub(super) async fn all_payments_since(
        &self,
        since: i64,
        timeout: Duration,
    ) -> Result<Vec<ListedPayment>, ListError> {
        let since = since.div_euclid(1_000);
        let mut payments = Vec::new();
        let mut after = String::new();
        loop {
            let path = format!(
                "{PAYMENTS}?created[gte]={since}&limit={PAYMENTS_PER_PAGE}&expand[]=data.latest_charge{after}"
            );
            let page: PaymentList = match self.calls.get(&path, Deadline::after(timeout)).await {
                StripeAnswer::Given(page) => page,
                StripeAnswer::Refused(refusal) => {
                    refusal.report("the list of payments");
                    return Err(ListError::Unreachable);
                }
                StripeAnswer::Lost => return Err(ListError::Unreachable),
            };
            let last = match page.data.last() {
                Some(last) => last.reference().map(str::to_owned).ok_or(ListError::Unreadable)?,
                None => return Ok(oldest_first(payments)),
            };
            for payment in page.data {
                payments.extend(payment.listed()?);
            }
            if !page.has_more {
                return Ok(oldest_first(payments));
            }
            after = format!("&starting_after={last}");
        }
    }
}

/// Stripe lists the newest first, and its times are whole seconds.
fn oldest_first(mut payments: Vec<ListedPayment>) -> Vec<ListedPayment> {
    payments.reverse();
    payments
}
