//! `POST /v1/charges`: a merchant's server creates a charge.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::clock::{Clock, rfc3339};
use protocol::ids::{IdKind, new_id, sha256_hex};
use protocol::{
    ChargeIntent, ChargeMode, ChargeStatus, CreateCharge, CreatedCharge, DEFAULT_COUNTRY, ErrorCode,
};
use providers::Provider;
use store::{Charge, Creation, CreationKey, CreationOutcome, Partner, Store};

use super::charge_rules::{metadata_text, validate};
use super::state::Charges;
use merchants::callers::{IdempotencyKey, Merchant};
use merchants::keys::signing::client_secret::{ClientSecrets, Issued, Signed, sign_link};
use merchants::keys::signing::payload_signature::signed_payload;
use web::{ApiError, Caller, DescribedAnswer, JsonBody, Operation, Parameter, json_body, note_charge};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/charges",
    id: "create_charge",
    summary: "Create a charge",
    description: "The answer has what your page needs, `payload` and `client_secret`, and `url`, the \
        standalone payment page. Send an `Idempotency-Key`: a repeated request with the same key and body gets the same \
        answer for 24 hours.",
    caller: Caller::Merchant,
    parameters: &[IDEMPOTENCY_KEY],
    request: json_body::<CreateCharge>(),
    answers: &[DescribedAnswer::json::<CreatedCharge>(201, "The charge.")],
    errors: &[
        ErrorCode::InvalidAmount,
        ErrorCode::IdempotencyConflict,
        ErrorCode::MerchantInactive,
    ],
};

pub(crate) const IDEMPOTENCY_KEY: Parameter = Parameter::header(
    "idempotency-key",
    "Your own id of this request, valid for 24 hours. The same id with another body is refused.",
);

/// How long an idempotency key is valid, in milliseconds (docs/merchant-api.md#create-a-charge).
pub(super) const IDEMPOTENCY_MS: i64 = 24 * 60 * 60 * 1000;

/// Creates a charge. The same `Idempotency-Key` with the same body within 24 hours gives the same answer, including
/// the client secret; with another body it is a 409.
pub async fn create_charge(
    State(charges): State<Arc<Charges>>,
    IdempotencyKey(key): IdempotencyKey,
    Merchant(partner): Merchant,
    JsonBody(body): JsonBody<CreateCharge>,
) -> Result<(StatusCode, Json<CreatedCharge>), ApiError> {
    charges.expiry.gate.must_be_open()?;
    let creator = ChargeCreator::from(&*charges);
    let created = creator.create(&partner, key.as_deref(), body).await?;
    note_charge(&created.id);
    Ok((StatusCode::CREATED, Json(created)))
}

/// Creates charges. The command line has these parts of [`Charges`] and not the others.
#[derive(Clone, Copy)]
pub struct ChargeCreator<'a> {
    /// The database.
    pub store: &'a Store,
    /// The time.
    pub clock: &'a Clock,
    /// Signs the client secret.
    pub client_secrets: &'a ClientSecrets,
    /// The origin of the payment page.
    pub public_url: &'a str,
    /// Whether this service can save cards.
    pub can_save_cards: bool,
    /// The provider, if it is known.
    pub provider: Option<&'a Provider>,
}

impl<'a> From<&'a Charges> for ChargeCreator<'a> {
    fn from(charges: &'a Charges) -> Self {
        Self {
            store: &charges.store,
            clock: &charges.clock,
            client_secrets: &charges.client_secrets,
            public_url: &charges.public_url,
            can_save_cards: charges.saved_cards.vault.is_some(),
            provider: Some(&charges.provider),
        }
    }
}

impl ChargeCreator<'_> {
    /// Creates a charge of this merchant. A 403 if the merchant is switched off, a 400 or 422 for an invalid field, and
    /// a 409 if `key` was used with another body.
    pub async fn create(
        self,
        partner: &Partner,
        key: Option<&str>,
        body: CreateCharge,
    ) -> Result<CreatedCharge, ApiError> {
        check_is_active(partner)?;
        validate(&body, self.provider, self.can_save_cards)?;
        let body_sha256 = sha256_hex(&serde_json::to_vec(&body).map_err(|error| ApiError::internal(&error))?);
        let charge = self.new_charge(partner, body);
        let signed = self
            .client_secrets
            .issue(&charge, &partner.allowed_origins)
            .await?;
        let creation = Creation {
            charge_id: charge.id.clone(),
            body_sha256,
            token_id: signed.claims.jti.clone(),
            signing_key_id: signed.key.id().to_owned(),
            expires_at: signed.claims.exp * 1000,
            created_at: charge.created_at,
        };
        let key = key.map(|idempotency_key| CreationKey {
            idempotency_key,
            counts_from: charge.created_at - IDEMPOTENCY_MS,
        });
        match self.store.add_charge(&charge, &creation, key).await? {
            CreationOutcome::Made => self.answer(&charge, ChargeStatus::Created, signed),
            CreationOutcome::Before(before) if before.body_sha256 == creation.body_sha256 => {
                self.repeat_answer(partner, &before).await
            }
            CreationOutcome::Before(_) => Err(idempotency_conflict()),
        }
    }

    async fn repeat_answer(self, partner: &Partner, before: &Creation) -> Result<CreatedCharge, ApiError> {
        let charge = self
            .store
            .charge_of_partner(&before.charge_id, &partner.id)
            .await?
            .ok_or_else(ApiError::charge_not_found)?;
        self.answer_again(partner, &charge, ChargeStatus::Created, before)
            .await
    }

    /// The answer of a repeated request: with the same client secret unless the charge was changed since, or with a new
    /// one if the first one has run out.
    pub(super) async fn answer_again(
        self,
        partner: &Partner,
        charge: &Charge,
        status: ChargeStatus,
        before: &Creation,
    ) -> Result<CreatedCharge, ApiError> {
        if before.expires_at <= self.clock.now_ms() {
            let fresh = self
                .client_secrets
                .issue(charge, &partner.allowed_origins)
                .await?;
            return self.answer(charge, status, fresh);
        }
        let issued = Issued {
            token_id: &before.token_id,
            key_id: &before.signing_key_id,
            iat: before.created_at.div_euclid(1000),
            exp: before.expires_at.div_euclid(1000),
        };
        let signed = self
            .client_secrets
            .issue_again(charge, &partner.allowed_origins, issued)
            .await?;
        self.answer(charge, status, signed)
    }

    /// The answer that lets the merchant's page open the charge. The same key signs its client secret and its payload.
    pub fn answer(
        self,
        charge: &Charge,
        status: ChargeStatus,
        signed: Signed,
    ) -> Result<CreatedCharge, ApiError> {
        let mut intent = intent(charge);
        // The page must not offer to save cards if the service cannot.
        intent.enable_save_payment_method = intent
            .enable_save_payment_method
            .map(|enabled| enabled && self.can_save_cards);
        let payload = signed_payload(&intent, &signed.key);
        let link = sign_link(charge, &signed.key)?;
        Ok(CreatedCharge {
            id: charge.id.clone(),
            status,
            // A browser does not send the fragment to a server, so the link is in no log.
            url: format!("{}/?payload={payload}#link={link}", self.public_url),
            payload,
            client_secret: signed.token,
            expires_at: rfc3339(signed.claims.exp * 1000),
        })
    }

    fn new_charge(self, partner: &Partner, body: CreateCharge) -> Charge {
        let now = self.clock.now_ms();
        let is_setup = body.mode == Some(ChargeMode::Setup);
        Charge {
            id: new_id(IdKind::Charge, self.clock),
            partner_id: partner.id.clone(),
            status: ChargeStatus::Created,
            decline_code: None,
            item_code: body.item_code,
            item_name: body.item_name,
            amount_value: body.amount_value,
            amount_currency: body.amount_currency,
            partner_reference: body.partner_reference,
            partner_shopper_id: body.partner_shopper_id.unwrap_or_default(),
            payment_method_country_code: body
                .payment_method_country_code
                .unwrap_or_else(|| DEFAULT_COUNTRY.to_owned()),
            partner_custom_data: body.partner_custom_data.unwrap_or_default(),
            shopper_id: body.shopper_id.unwrap_or_default(),
            shopper_email: body.shopper_email.unwrap_or_default(),
            zip_code: body.zip_code,
            user_initiated: body.user_initiated.unwrap_or(true),
            enable_save_payment_method: body.enable_save_payment_method.or(is_setup.then_some(true)),
            // A saved card need not be saved again.
            display_saved_payment_method_list: body.display_saved_payment_method_list.unwrap_or_default()
                && !is_setup,
            eligible_save_payment_methods: body.eligible_save_payment_methods.unwrap_or_default() || is_setup,
            save_card_usage: body.save_card_usage.unwrap_or_default(),
            return_url: body.return_url,
            cancel_url: body.cancel_url,
            capture_method: body.capture_method.unwrap_or_default(),
            capture_after_hours: body.capture_after_hours,
            metadata: body.metadata.as_ref().and_then(metadata_text),
            statement_descriptor: body.statement_descriptor,
            three_ds: body.three_ds.unwrap_or_default(),
            exemption: body.exemption,
            capture_before: None,
            capture_at: None,
            amount_captured: None,
            amount_refunded: None,
            paid_at: None,
            created_at: now,
            updated_at: now,
        }
    }
}

/// 409: the key was used for another request.
pub(crate) fn idempotency_conflict() -> ApiError {
    ApiError::new(
        ErrorCode::IdempotencyConflict,
        "This Idempotency-Key was used with another body.",
    )
    .at("idempotency-key")
}

/// Refuses a merchant that the operator has switched off, with a 403.
pub fn check_is_active(partner: &Partner) -> Result<(), ApiError> {
    if partner.active {
        return Ok(());
    }
    Err(merchant_inactive())
}

/// 403: the operator has switched the merchant off.
pub fn merchant_inactive() -> ApiError {
    ApiError::new(
        ErrorCode::MerchantInactive,
        "This merchant takes no payments at present. Ask whoever runs the payment service.",
    )
}

/// The charge intent, which is the payload's content.
fn intent(charge: &Charge) -> ChargeIntent {
    ChargeIntent {
        item_code: charge.item_code.clone(),
        item_name: charge.item_name.clone(),
        amount_value: charge.amount_value.clone(),
        amount_currency: charge.amount_currency.clone(),
        partner_reference: charge.partner_reference.clone(),
        partner_shopper_id: charge.partner_shopper_id.clone(),
        payment_method_country_code: charge.payment_method_country_code.clone(),
        charge_id: charge.id.clone(),
        partner_custom_data: charge.partner_custom_data.clone(),
        shopper_email: charge.shopper_email.clone(),
        zip_code: charge.zip_code.clone(),
        enable_save_payment_method: charge.enable_save_payment_method,
        shopper_id: charge.shopper_id.clone(),
        user_initiated: charge.user_initiated,
        display_saved_payment_method_list: charge.display_saved_payment_method_list,
        eligible_save_payment_methods: charge.eligible_save_payment_methods,
        partner_id: charge.partner_id.clone(),
        save_card_usage: charge.save_card_usage.in_intent(),
        // These are for card sessions only.
        card_session: String::new(),
        return_url: String::new(),
    }
}
