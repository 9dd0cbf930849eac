//! `POST /v1/shoppers/{shopper_id}/card-sessions`: a merchant's server opens the card page of a shopper (docs/card-page.md).
//! A session is a signed token and a signed payload, so it needs no row and ends by itself.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use protocol::clock::rfc3339;
use protocol::ids::{IdKind, new_id};
use protocol::{
    CardSession, CardSessionClaims, ChargeIntent, ChargeMode, CreateCardSession, CreateCharge,
    DEFAULT_COUNTRY, ErrorCode, SETUP_AMOUNT,
};

use crate::charges::Charges;
use crate::charges::charge_rules::{required, validate};
use crate::charges::create_charge::check_is_active;
use merchants::callers::Merchant;
use merchants::keys::signing::payload_signature::signed_payload;
use web::{ApiError, DescribedAnswer, Operation, OptionalBody, PathId, json_body};

/// The operation's part of `/openapi.json`.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/shoppers/{shopper_id}/card-sessions",
    id: "create_card_session",
    summary: "Open a shopper's card page",
    description: "There the shopper lists, names and removes the saved cards, chooses the default one, and adds a card. \
        Call it only for a shopper who has logged in. The body may be left out.",
    request: json_body::<CreateCardSession>(),
    answers: &[DescribedAnswer::json::<CardSession>(
        201,
        "The session, with the address of the card page.",
    )],
    errors: &[
        ErrorCode::MerchantInactive,
        ErrorCode::SavedCardsNotOffered,
        ErrorCode::InvalidAmount,
    ],
    ..Operation::OF_MERCHANT
};

/// The currency of an added card's setup, if the merchant names none.
const DEFAULT_CURRENCY: &str = "USD";
/// The item of an added card's setup, for the merchant's lists.
const ITEM_CODE: &str = "saved-card";
const ITEM_NAME: &str = "Saved card";

/// Opens a session. The fields are checked like those of a setup, because each added card is one.
pub async fn create_card_session(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    PathId(shopper_id): PathId,
    OptionalBody(body): OptionalBody<CreateCardSession>,
) -> Result<(StatusCode, Json<CardSession>), ApiError> {
    check_is_active(&partner)?;
    required("shopper_id", &shopper_id)?;
    let can_save_cards = charges.saved_cards.vault.is_some();
    if !can_save_cards {
        return Err(ApiError::new(
            ErrorCode::SavedCardsNotOffered,
            "This service saves no cards, because it has no vault.",
        ));
    }
    let id = new_id(IdKind::CardSession, &charges.clock);
    let claims = CardSessionClaims {
        iss: String::new(),
        sub: partner.id,
        shopper_id,
        save_card_usage: body.save_card_usage.unwrap_or_default(),
        partner_reference: body.partner_reference.unwrap_or_else(|| id.clone()),
        amount_currency: body
            .amount_currency
            .unwrap_or_else(|| DEFAULT_CURRENCY.to_owned()),
        iat: 0,
        exp: 0,
        jti: id,
    };
    let setup = CreateCharge {
        return_url: body.return_url.clone(),
        ..setup_of(&claims)
    };
    validate(&setup, Some(&charges.provider), can_save_cards)?;
    let signed = charges.client_secrets.issue_card_session(claims).await?;
    let intent = intent(&signed.claims, body.return_url.unwrap_or_default());
    let payload = signed_payload(&intent, &signed.key);
    let session = CardSession {
        // A browser does not send the fragment to a server, so the token is in no log.
        url: format!(
            "{}/?payload={payload}#client_secret={}",
            charges.public_url, signed.token
        ),
        id: signed.claims.jti,
        payload,
        client_secret: signed.token,
        expires_at: rfc3339(signed.claims.exp * 1000),
    };
    Ok((StatusCode::CREATED, Json(session)))
}

/// The setup with which a shopper of this session adds a card.
pub(super) fn setup_of(session: &CardSessionClaims) -> CreateCharge {
    CreateCharge {
        item_code: ITEM_CODE.to_owned(),
        item_name: ITEM_NAME.to_owned(),
        amount_value: SETUP_AMOUNT.to_owned(),
        amount_currency: session.amount_currency.clone(),
        partner_reference: session.partner_reference.clone(),
        shopper_id: Some(session.shopper_id.clone()),
        save_card_usage: Some(session.save_card_usage),
        mode: Some(ChargeMode::Setup),
        ..CreateCharge::default()
    }
}

/// The intent of the card page.
fn intent(session: &CardSessionClaims, return_url: String) -> ChargeIntent {
    ChargeIntent {
        item_code: ITEM_CODE.to_owned(),
        item_name: ITEM_NAME.to_owned(),
        amount_value: SETUP_AMOUNT.to_owned(),
        amount_currency: session.amount_currency.clone(),
        partner_reference: session.partner_reference.clone(),
        payment_method_country_code: DEFAULT_COUNTRY.to_owned(),
        enable_save_payment_method: Some(true),
        shopper_id: session.shopper_id.clone(),
        user_initiated: true,
        display_saved_payment_method_list: true,
        eligible_save_payment_methods: true,
        partner_id: session.sub.clone(),
        save_card_usage: session.save_card_usage.in_intent(),
        card_session: session.jti.clone(),
        return_url,
        ..ChargeIntent::default()
    }
}
