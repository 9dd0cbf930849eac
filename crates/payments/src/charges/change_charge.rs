//! `POST /v1/charges/{id}`: a merchant changes the item or the amount of a charge that no shopper is paying.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use protocol::ids::{IdKind, new_id, sha256_hex};
use protocol::{ChangeCharge, ChargeMode, ChargeStatus, CreatedCharge, ErrorCode};
use store::{ChangeOutcome, Charge, ChargeChange, ChargeTerms, Creation, CreationKey, Partner};

use super::charge_rules::validate_terms;
use super::create_charge::{
    ChargeCreator, IDEMPOTENCY_KEY, IDEMPOTENCY_MS, check_is_active, idempotency_conflict,
};
use super::state::Charges;
use merchants::callers::{IdempotencyKey, Merchant};
use web::{ApiError, Caller, DescribedAnswer, JsonBody, Operation, PathId, json_body, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/charges/{id}",
    id: "change_charge",
    summary: "Change a charge",
    description: "Changes item, amount or currency of a charge that nobody is paying: its status is `created` or \
        `failed`. What is left out stays. The answer has a new payload, client secret and address; earlier ones pay \
        nothing any more. Send an `Idempotency-Key`, as for a new charge.",
    caller: Caller::Merchant,
    parameters: &[IDEMPOTENCY_KEY],
    request: json_body::<ChangeCharge>(),
    answers: &[DescribedAnswer::json::<CreatedCharge>(200, "The changed charge.")],
    errors: &[
        ErrorCode::ChargeNotFound,
        ErrorCode::ChargeNotChangeable,
        ErrorCode::InvalidAmount,
        ErrorCode::IdempotencyConflict,
        ErrorCode::MerchantInactive,
    ],
};

/// How often a change is made again when another one came between.
const TRIES: usize = 5;

/// Changes a charge that waits for a card. An earlier client secret no longer pays, so that no shopper pays another amount
/// than the page showed. If a card is with the provider, or the charge is over, it is a 409 and nothing changes.
pub async fn change_charge(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(id): PathId,
    IdempotencyKey(key): IdempotencyKey,
    JsonBody(body): JsonBody<ChangeCharge>,
) -> Result<Json<CreatedCharge>, ApiError> {
    charges.expiry.gate.must_be_open()?;
    check_is_active(&partner)?;
    // Of the charge, too, so that a key names one change of one charge.
    let said = serde_json::to_vec(&(&id, &body)).map_err(|error| ApiError::internal(&error))?;
    let body_sha256 = sha256_hex(&said);
    for _ in 0..TRIES {
        let charge = charges.charge(&id, &partner.id).await?;
        note_charge(&charge.id);
        let charge = charges.expiry.expire_if_due(charge).await?;
        if let Some(changed) = change(&charges, &partner, charge, &body, &body_sha256, key.as_deref()).await?
        {
            return Ok(Json(changed));
        }
    }
    Err(not_changeable("Other changes of this charge came between."))
}

/// One try; none if the charge was changed meanwhile.
async fn change(
    charges: &Charges,
    partner: &Partner,
    charge: Charge,
    body: &ChangeCharge,
    body_sha256: &str,
    key: Option<&str>,
) -> Result<Option<CreatedCharge>, ApiError> {
    let from = ChargeTerms::from(&charge);
    let to = changed_terms(&from, body);
    validate_terms(&to, ChargeMode::of(&from.amount_value), Some(&charges.provider))?;
    let creator = ChargeCreator::from(charges);
    let changed = Charge {
        item_code: to.item_code.clone(),
        item_name: to.item_name.clone(),
        amount_value: to.amount_value.clone(),
        amount_currency: to.amount_currency.clone(),
        ..charge
    };
    let signed = charges
        .client_secrets
        .issue(&changed, &partner.allowed_origins)
        .await?;
    let now_ms = charges.clock.now_ms();
    let request = Creation {
        charge_id: changed.id.clone(),
        body_sha256: body_sha256.to_owned(),
        token_id: signed.claims.jti.clone(),
        signing_key_id: signed.key.id().to_owned(),
        expires_at: signed.claims.exp * 1000,
        created_at: now_ms,
    };
    let asked = ChargeChange {
        id: new_id(IdKind::ChargeChange, &charges.clock),
        partner_id: partner.id.clone(),
        from,
        to,
        request,
    };
    let key = key.map(|idempotency_key| CreationKey {
        idempotency_key,
        counts_from: now_ms - IDEMPOTENCY_MS,
    });
    match charges.store.change_charge(&asked, key).await? {
        ChangeOutcome::Changed => Ok(Some(creator.answer(&changed, changed.status, signed)?)),
        ChangeOutcome::Before(before) if before.body_sha256 == body_sha256 => {
            let now = charges.charge(&changed.id, &partner.id).await?;
            let answer = creator.answer_again(partner, &now, now.status, &before).await?;
            Ok(Some(answer))
        }
        ChangeOutcome::Before(_) => Err(idempotency_conflict()),
        ChangeOutcome::Stays(ChargeStatus::Succeeded | ChargeStatus::Authorized) => {
            Err(not_changeable("This charge is paid."))
        }
        ChangeOutcome::Stays(ChargeStatus::Canceled | ChargeStatus::Expired) => {
            Err(not_changeable("This charge is canceled or has expired."))
        }
        ChangeOutcome::Stays(_) => Err(not_changeable("A card is with the provider at this moment.")),
        ChangeOutcome::Outdated => Ok(None),
    }
}

fn changed_terms(from: &ChargeTerms, body: &ChangeCharge) -> ChargeTerms {
    let or = |new: &Option<String>, old: &String| new.as_ref().unwrap_or(old).clone();
    ChargeTerms {
        item_code: or(&body.item_code, &from.item_code),
        item_name: or(&body.item_name, &from.item_name),
        amount_value: or(&body.amount_value, &from.amount_value),
        amount_currency: or(&body.amount_currency, &from.amount_currency),
    }
}

fn not_changeable(message: &'static str) -> ApiError {
    ApiError::new(ErrorCode::ChargeNotChangeable, message)
}
