//! Refunds, captures and releases at Stripe. Each is sent once per call: after a lost answer it is looked up before it is
//! sent again, because Stripe forgets an idempotency key after a day. A refund is found by our id in its metadata, a
//! capture and a release by the state of their payment.

use std::collections::HashMap;
use std::time::Duration;

use protocol::OperationKind;
use serde::Deserialize;
use uuid::Uuid;

use super::calls::{Deadline, StripeAnswer, StripeRefusal, is_name};
use super::form::FormFields;
use super::payment::PaymentIntent;
use super::{PAYMENTS, StripeConnector, amount, payment_id};
use crate::{HoldLookup, OperationLookup, OperationOutcome, PaymentRef, ProviderOperation};

/// The path of refunds.
const REFUNDS: &str = "/v1/refunds";
/// The longest page that Stripe allows.
const REFUNDS_PER_PAGE: u32 = 100;
/// The reasons that Stripe accepts. A merchant's own words stay with us.
const REASONS: [&str; 3] = ["duplicate", "fraudulent", "requested_by_customer"];
/// The failure code if Stripe names none.
const REFUSED: &str = "refused_by_provider";

#[derive(Debug, Deserialize)]
pub(super) struct StripeRefund {
    id: String,
    status: RefundStatus,
    failure_reason: Option<String>,
    #[serde(default)]
    metadata: HashMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RefundStatus {
    Pending,
    RequiresAction,
    Succeeded,
    Failed,
    Canceled,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct RefundList {
    data: Vec<StripeRefund>,
    #[serde(default)]
    has_more: bool,
}

impl StripeConnector {
    pub(super) async fn send_operation(
        &self,
        operation: ProviderOperation<'_>,
        timeout: Duration,
    ) -> OperationOutcome {
        // Without these nothing is sent, so no money moves.
        let Some(payment) = payment_id(operation.payment) else {
            return OperationOutcome::failed("payment_not_found");
        };
        let Some(amount) = counted(operation) else {
            return OperationOutcome::failed("amount_not_supported");
        };
        let deadline = Deadline::after(timeout);
        let (what, path, form) = match operation.kind {
            OperationKind::Refund => {
                return self.send_refund(operation, payment, amount, deadline).await;
            }
            OperationKind::Capture => (
                "a capture",
                format!("{PAYMENTS}/{payment}/capture"),
                FormFields::new().with("amount_to_capture", &amount.to_string()),
            ),
            OperationKind::Release => (
                "a release",
                format!("{PAYMENTS}/{payment}/cancel"),
                FormFields::new(),
            ),
        };
        // The payment allows only one of them. With the same key Stripe would repeat its first failure for a day.
        let key = format!("{}-{}", operation.idempotency_key, Uuid::new_v4().simple());
        match self
            .calls
            .post_once::<PaymentIntent>(&path, &key, form, deadline)
            .await
        {
            StripeAnswer::Given(payment) => payment
                .operation(operation.kind, amount)
                .unwrap_or(OperationOutcome::Unknown),
            // The hold may have ended, or may be captured already. The payment tells it.
            StripeAnswer::Refused(refusal) => match self.payment(payment, deadline).await {
                Some(payment) => payment
                    .operation(operation.kind, amount)
                    .unwrap_or_else(|| refused(&refusal, what)),
                None => OperationOutcome::Unknown,
            },
            StripeAnswer::Lost => OperationOutcome::Unknown,
        }
    }

    async fn send_refund(
        &self,
        operation: ProviderOperation<'_>,
        payment: &str,
        amount: u64,
        deadline: Deadline,
    ) -> OperationOutcome {
        let mut form = FormFields::new()
            .with("payment_intent", payment)
            .with("amount", &amount.to_string())
            .with("metadata[cardform_refund]", operation.id);
        if let Some(reason) = operation.reason.filter(|reason| REASONS.contains(reason)) {
            form = form.with("reason", reason);
        }
        let key = operation.idempotency_key;
        match self
            .calls
            .post_once::<StripeRefund>(REFUNDS, key, form, deadline)
            .await
        {
            StripeAnswer::Given(refund) => refund.outcome(),
            StripeAnswer::Refused(refusal) => refused(&refusal, "a refund"),
            StripeAnswer::Lost => OperationOutcome::Unknown,
        }
    }

    pub(super) async fn find_operation(
        &self,
        operation: ProviderOperation<'_>,
        timeout: Duration,
    ) -> OperationLookup {
        let deadline = Deadline::after(timeout);
        let Some(payment) = payment_id(operation.payment) else {
            return OperationLookup::NeverReceived;
        };
        if operation.kind == OperationKind::Refund {
            return match operation.reference.filter(|reference| is_name(reference)) {
                Some(reference) => self.refund_with(reference, deadline).await,
                None => self.refund_of(payment, operation.id, deadline).await,
            };
        }
        let Some(amount) = counted(operation) else {
            return OperationLookup::NeverReceived;
        };
        match self.payment(payment, deadline).await {
            Some(payment) if payment.is_held() => OperationLookup::NeverReceived,
            Some(payment) => known(payment.operation(operation.kind, amount)),
            None => OperationLookup::Unreachable,
        }
    }

    pub(super) async fn find_hold(&self, payment: PaymentRef<'_>, timeout: Duration) -> HoldLookup {
        let Some(id) = payment_id(payment) else {
            return HoldLookup::Unreachable;
        };
        let found = self.payment(id, Deadline::after(timeout)).await;
        found
            .and_then(|payment| payment.hold())
            .unwrap_or(HoldLookup::Unreachable)
    }

    async fn refund_with(&self, reference: &str, deadline: Deadline) -> OperationLookup {
        let path = format!("{REFUNDS}/{reference}");
        match self.calls.get::<StripeRefund>(&path, deadline).await {
            StripeAnswer::Given(refund) => known(Some(refund.outcome())),
            StripeAnswer::Refused(refusal) => {
                refusal.report("the state of a refund");
                OperationLookup::Unreachable
            }
            StripeAnswer::Lost => OperationLookup::Unreachable,
        }
    }

    /// The refund with our id among all refunds of a payment.
    async fn refund_of(&self, payment: &str, id: &str, deadline: Deadline) -> OperationLookup {
        let mut after = String::new();
        loop {
            let path = format!("{REFUNDS}?payment_intent={payment}&limit={REFUNDS_PER_PAGE}{after}");
            let page: RefundList = match self.calls.get(&path, deadline).await {
                StripeAnswer::Given(page) => page,
                StripeAnswer::Refused(refusal) => {
                    refusal.report("the refunds of a payment");
                    return OperationLookup::Unreachable;
                }
                StripeAnswer::Lost => return OperationLookup::Unreachable,
            };
            if let Some(refund) = page.data.iter().find(|refund| refund.is_of(id)) {
                return known(Some(refund.outcome()));
            }
            match page.data.last() {
                Some(last) if page.has_more && is_name(&last.id) => {
                    after = format!("&starting_after={}", last.id);
                }
                Some(_) if page.has_more => return OperationLookup::Unreachable,
                _ => return OperationLookup::NeverReceived,
            }
        }
    }
}

impl StripeRefund {
    fn is_of(&self, id: &str) -> bool {
        self.metadata.get("cardform_refund").is_some_and(|own| own == id)
    }

    fn outcome(&self) -> OperationOutcome {
        let reference = Some(self.id.clone()).filter(|id| is_name(id));
        match self.status {
            RefundStatus::Pending | RefundStatus::RequiresAction => OperationOutcome::Pending(reference),
            RefundStatus::Succeeded => OperationOutcome::Succeeded(reference),
            RefundStatus::Failed => OperationOutcome::Failed {
                code: named(self.failure_reason.as_deref()),
                reference,
            },
            RefundStatus::Canceled => OperationOutcome::Failed {
                code: "canceled".to_owned(),
                reference,
            },
            RefundStatus::Other => OperationOutcome::Unknown,
        }
    }
}

/// The operation's amount as Stripe counts it. A release lets all of a hold go, so it has none.
fn counted(operation: ProviderOperation<'_>) -> Option<u64> {
    match operation.kind {
        OperationKind::Release => Some(0),
        OperationKind::Refund | OperationKind::Capture => {
            amount::counted(operation.amount_value, operation.amount_currency)
        }
    }
}

/// The outcome of a refused operation.
fn refused(refusal: &StripeRefusal, what: &'static str) -> OperationOutcome {
    refusal.report(what);
    // The key was used for another request. That one may have moved the money.
    if refusal.is_about_the_key {
        return OperationOutcome::Unknown;
    }
    OperationOutcome::failed(&named(refusal.error.code.as_deref()))
}

/// A code of Stripe, if it is one.
fn named(code: Option<&str>) -> String {
    code.filter(|code| is_name(code)).unwrap_or(REFUSED).to_owned()
}

fn known(outcome: Option<OperationOutcome>) -> OperationLookup {
    match outcome {
        None | Some(OperationOutcome::Unknown) => OperationLookup::Unreachable,
        Some(outcome) => OperationLookup::Known(outcome),
    }
}

#[cfg(test)]
pub(super) mod tests;
