//! What every act of an operator does first: it finds the charge among those that the person sees, checks the reason, and
//! writes the person's name to the audit log. The line is durable before anything happens.

use protocol::OperatorActRequest;
use protocol::limits::TEXT_CHARACTERS_MAX;
use rules::has_card_number;
use serde_json::{Value, json};
use store::{AuditAction, Charge};

use crate::charges::Charges;
use crate::charges::charge_rules::{check_length, operation_amount, required};
use crate::operations::Wish;
use merchants::operators::Operator;
use web::{ApiError, note_charge, note_partner};

/// The charge, if the person sees its merchant; otherwise a 404, as if it did not exist. While payments are closed it is a
/// 503, as [`Charges::charge`] has it.
pub(super) async fn visible_charge(
    charges: &Charges,
    operator: &Operator,
    id: &str,
) -> Result<Charge, ApiError> {
    let found = charges.store.charge(id).await?;
    let Some(charge) = found.filter(|charge| operator.sees(&charge.partner_id)) else {
        charges.expiry.gate.must_be_open()?;
        return Err(ApiError::charge_not_found());
    };
    note_partner(&charge.partner_id);
    note_charge(&charge.id);
    Ok(charge)
}

/// Checks the request, and writes its line to the audit log.
async fn note_act(
    charges: &Charges,
    operator: &Operator,
    action: AuditAction,
    charge: &Charge,
    body: &OperatorActRequest,
) -> Result<(), ApiError> {
    check_reason(&body.reason)?;
    operation_amount(body.amount_value.as_deref(), &charge.amount_currency)?;
    let detail = json!({
        "charge_id": charge.id,
        "partner_id": charge.partner_id,
        "amount_value": body.amount_value,
        "amount_currency": charge.amount_currency,
        "reason": body.reason,
    });
    write_line(charges, operator, action, &charge.id, &detail).await
}

/// Writes a line. Its subject is a charge.
pub(super) async fn write_line(
    charges: &Charges,
    operator: &Operator,
    action: AuditAction,
    charge_id: &str,
    detail: &Value,
) -> Result<(), ApiError> {
    let by = operator.actor(charges.clock.now_ms());
    charges
        .store
        .record_action(&by, action, charge_id, detail)
        .await?;
    Ok(())
}

/// A reason is a line of text. A card number would stay in the audit log for ever.
pub(super) fn check_reason(reason: &str) -> Result<(), ApiError> {
    const FIELD: &str = "reason";
    required(FIELD, reason)?;
    check_length(FIELD, reason, TEXT_CHARACTERS_MAX)?;
    if has_card_number(reason.as_bytes()) {
        return Err(ApiError::invalid(FIELD, "A card number must not be in a reason."));
    }
    Ok(())
}

/// An act that has no amount.
pub(super) fn no_amount(body: &OperatorActRequest) -> Result<(), ApiError> {
    match body.amount_value {
        None => Ok(()),
        Some(_) => Err(ApiError::invalid("amount_value", "This act has no amount.")),
    }
}

/// What each act that moves money does first. Returns the charge, and what its merchant would ask for.
pub(super) async fn begin_act(
    charges: &Charges,
    operator: &Operator,
    charge_id: &str,
    key: Option<String>,
    body: OperatorActRequest,
    action: AuditAction,
) -> Result<(Charge, Wish), ApiError> {
    charges.expiry.gate.must_be_open()?;
    let charge = visible_charge(charges, operator, charge_id).await?;
    let message = "Send an Idempotency-Key, so that a repeated request moves no money twice.";
    let key = key.ok_or_else(|| ApiError::invalid("idempotency-key", message))?;
    note_act(charges, operator, action, &charge, &body).await?;
    let wish = Wish {
        amount_value: body.amount_value,
        reason: Some(body.reason),
        metadata: None,
        idempotency_key: Some(key),
    };
    Ok((charge, wish))
}
