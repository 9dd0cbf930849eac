//! A charge as its merchant sees it: its own row, the attempt that paid it, and its refunds.

use std::borrow::Cow;
use std::collections::HashMap;

use protocol::clock::rfc3339;
use protocol::{
    CardChecks, ChargeMode, ChargeStatus, ChargeView, DeclineCode, DeclineView, DisputeView,
    MerchantPaymentReason, Metadata, OperationStatus, PaidWith, PaymentFacts, ProviderView, RefundSummary,
    ThreeDsResult,
};
use rules::amount::{minor_units, minor_units_text};
use serde::{Deserialize, Serialize};

use super::attempt::{Attempt, COLUMNS, NEVER_MADE};
use super::dispute::StoredDispute;
use super::operation::{Operation, refunded, refunds};
use super::sql::{places, query};
use super::{AttemptState, Charge, Store, StoreError};

/// Banks change their answer in about a day, in milliseconds.
const RETRY_PAUSE_MS: i64 = 24 * 60 * 60 * 1_000;

/// How many charges are looked up in one statement.
const CHARGES_AT_ONCE: usize = 100;

/// The parts of a used card that have no column of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CardDetails<'a> {
    #[serde(borrow)]
    pub(super) first_six: Cow<'a, str>,
    pub(super) expiration_month: u8,
    pub(super) expiration_year: u16,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) payment_method_id: Option<Cow<'a, str>>,
    /// The shopper typed a new date for a saved card.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) renews: bool,
    /// Why the merchant pays without the shopper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) merchant_reason: Option<MerchantPaymentReason>,
}

/// The details of an attempt's card with the id under which the card was saved.
pub(super) fn with_saved_card(details: Option<&str>, saved: Option<String>) -> Option<String> {
    let text = details?;
    let known = serde_json::from_str::<CardDetails<'_>>(text).ok();
    let (Some(mut card), Some(id)) = (known, saved) else {
        return Some(text.to_owned());
    };
    card.payment_method_id = Some(id.into());
    serde_json::to_string(&card).ok()
}

/// What a view has besides the charge's own row.
#[derive(Debug, Default)]
pub(super) struct Told<'a> {
    /// The attempt that paid, or the last one.
    pub(super) attempt: Option<&'a Attempt>,
    /// The refunds, the oldest first.
    pub(super) refunds: Vec<RefundSummary>,
    /// The dispute.
    pub(super) dispute: Option<DisputeView>,
}

impl<'a> Told<'a> {
    /// Of a charge without refunds: that has just been paid or declined, by this attempt.
    pub(super) fn of(attempt: &'a Attempt) -> Self {
        Self {
            attempt: Some(attempt),
            ..Self::default()
        }
    }
}

/// The charge as its merchant sees it.
pub(super) fn view(charge: &Charge, told: Told<'_>) -> ChargeView {
    let currency = &charge.amount_currency;
    let none = minor_units_text(0, currency);
    let captured = match &charge.amount_captured {
        Some(sum) => with_all_digits(sum, currency),
        // A payment of an earlier version.
        None if charge.status == ChargeStatus::Succeeded => with_all_digits(&charge.amount_value, currency),
        None => none.clone(),
    };
    let is_held = charge.status == ChargeStatus::Authorized;
    let mut facts = told.attempt.map(Attempt::known_facts).unwrap_or_default();
    let network_code = facts.network_code.take();
    let network_id = facts.network_transaction_id.take();
    let paying = told
        .attempt
        .filter(|attempt| attempt.state == AttemptState::Succeeded);
    ChargeView {
        id: charge.id.clone(),
        status: charge.status,
        item_code: charge.item_code.clone(),
        item_name: charge.item_name.clone(),
        mode: ChargeMode::of(&charge.amount_value),
        amount_value: charge.amount_value.clone(),
        amount_currency: currency.clone(),
        capture_method: charge.capture_method,
        amount_capturable: if is_held {
            with_all_digits(&charge.amount_value, currency)
        } else {
            none.clone()
        },
        amount_captured: captured,
        amount_refunded: charge.amount_refunded.clone().unwrap_or(none),
        capture_before: charge.capture_before.filter(|_| is_held).map(rfc3339),
        paid_at: charge.paid_at.map(rfc3339),
        partner_reference: charge.partner_reference.clone(),
        shopper_id: Some(charge.shopper_id.clone()).filter(|id| !id.is_empty()),
        metadata: metadata(charge.metadata.as_deref()),
        paid_with: paying.and_then(|attempt| paid_with(attempt, facts)),
        provider: told.attempt.and_then(|attempt| provider(attempt, network_id)),
        decline_code: charge.decline_code.clone(),
        decline: charge.decline_code.as_deref().map(|code| DeclineView {
            code: code.to_owned(),
            advice: DeclineCode::from_code(code).advice().to_owned(),
            network_code,
            retry_not_before: told
                .attempt
                .and_then(|attempt| retry_not_before(charge, attempt, code)),
        }),
        refunds: told.refunds,
        dispute: told.dispute,
        created_at: rfc3339(charge.created_at),
        updated_at: rfc3339(charge.updated_at),
    }
}

/// When the merchant may try the card again, if it paid without the shopper and the reason may pass.
fn retry_not_before(charge: &Charge, attempt: &Attempt, code: &str) -> Option<String> {
    let may_pass = DeclineCode::from_code(code).advice() == "try_again_later";
    (may_pass && attempt.merchant_card().is_some()).then(|| rfc3339(charge.updated_at + RETRY_PAUSE_MS))
}

/// The amount with all fraction digits of its currency.
fn with_all_digits(amount: &str, currency: &str) -> String {
    minor_units(amount, currency).map_or_else(|| amount.to_owned(), |units| minor_units_text(units, currency))
}

/// The names and texts of this JSON object.
pub(super) fn metadata(stored: Option<&str>) -> Metadata {
    stored
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

fn paid_with(attempt: &Attempt, facts: PaymentFacts) -> Option<PaidWith> {
    let details = attempt.details();
    Some(PaidWith {
        brand: attempt.card_brand.clone()?,
        last_four: attempt.card_last_four.clone()?,
        expiration_month: details
            .as_ref()
            .map(|card| format!("{:02}", card.expiration_month)),
        expiration_year: details.as_ref().map(|card| card.expiration_year.to_string()),
        payment_method_id: details
            .as_ref()
            .and_then(|card| card.payment_method_id.clone())
            .map(Cow::into_owned),
        first_six: details.map(|card| card.first_six.into_owned()),
        funding: facts.funding,
        country: facts.country,
        network: facts.network,
        checks: CardChecks {
            security_code: facts.security_code_check,
            postal_code: facts.postal_code_check,
        },
        three_ds: facts.three_ds_outcome.map(|outcome| ThreeDsResult {
            outcome,
            flow: facts.three_ds_flow,
        }),
    })
}

fn provider(attempt: &Attempt, network_transaction_id: Option<String>) -> Option<ProviderView> {
    let reference = attempt
        .provider_reference
        .as_deref()
        .filter(|text| *text != NEVER_MADE)?;
    Some(ProviderView {
        name: attempt.provider_name().to_owned(),
        reference: Some(reference.to_owned()),
        network_transaction_id,
    })
}

impl Store {
    /// The charge as its merchant sees it.
    pub async fn charge_view(&self, charge: &Charge) -> Result<ChargeView, StoreError> {
        let mut views = self.charge_views(std::slice::from_ref(charge)).await?;
        views.pop().ok_or(StoreError::Unusable("charge without a view"))
    }

    /// Charges as their merchant sees them, in the same order.
    pub async fn charge_views(&self, charges: &[Charge]) -> Result<Vec<ChargeView>, StoreError> {
        let mut views = Vec::with_capacity(charges.len());
        for some in charges.chunks(CHARGES_AT_ONCE) {
            let ids: Vec<&str> = some.iter().map(|charge| charge.id.as_str()).collect();
            let attempts = self.attempts_of(&ids).await?;
            let mut operations: HashMap<String, Vec<Operation>> = HashMap::new();
            for operation in self.operations_of(&ids).await? {
                operations
                    .entry(operation.charge_id.clone())
                    .or_default()
                    .push(operation);
            }
            let disputes = self.disputes_of(&ids).await?;
            views.extend(some.iter().map(|charge| {
                let operations = operations.get(&charge.id).map_or(&[][..], Vec::as_slice);
                let mut of_charge = disputes.iter().filter(|dispute| dispute.charge_id == charge.id);
                let told = Told {
                    attempt: attempts.get(&charge.id),
                    refunds: refunds(operations),
                    dispute: of_charge.next_back().map(StoredDispute::in_charge),
                };
                let mut view = view(charge, told);
                // A refund may have ended since the charge was read, and the sum must be that of the refunds.
                let currency = &charge.amount_currency;
                let sum = refunded(operations, currency, |state| state == OperationStatus::Succeeded);
                view.amount_refunded = minor_units_text(sum, currency);
                view
            }));
        }
        Ok(views)
    }

    /// The attempt of each of these charges that paid, or else the last one.
    async fn attempts_of(&self, charge_ids: &[&str]) -> Result<HashMap<String, Attempt>, StoreError> {
        let places = places(1, charge_ids.len());
        let sql = format!("{COLUMNS} WHERE charge_id IN ({places}) ORDER BY created_at");
        let found: Vec<Attempt> = query(sql).bind_each(charge_ids).fetch_all(&self.readers).await?;
        let mut by_charge: HashMap<String, Attempt> = HashMap::new();
        for attempt in found {
            let known = by_charge.get(&attempt.charge_id);
            if known.is_none_or(|known| known.state != AttemptState::Succeeded) {
                by_charge.insert(attempt.charge_id.clone(), attempt);
            }
        }
        Ok(by_charge)
    }
}
