//! `POST /v1/pub/direct/charges`: pays a charge with a shopper's card (docs/calls.md#direct-charge).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use protocol::{
    Card, ChargeStatus, ClientSecretClaims, DeclineBody, DirectCharge, DirectChargeAnswer, ErrorCode,
    PaymentMethod, ShopperAction,
};
use providers::ProviderCard;
use rules::RuleExperiments;
use store::Charge;

use super::authentication::authentication;
use super::charge_rules::country;
use super::create_charge::merchant_inactive;
use super::direct_charge_limits::within_limits;
use super::press::{Press, PressAnswer, PressedCard, press};
use super::sealed_card::open_card;
use super::state::Charges;
use crate::checks::card_check::{check_card, check_network, check_postal_code};
use crate::saved_cards::agreement::{agreement, check_shown};
use crate::saved_cards::pay::saved_card;
use crate::saved_cards::save::may_save;
use experiments::Attributes;
use merchants::callers::PayingShopper;
use web::{ApiError, Caller, ClientAddress, DescribedAnswer, JsonBody, Operation, Parameter, json_body};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "POST",
    path: "/v1/pub/direct/charges",
    id: "direct_charge",
    summary: "Pay a charge",
    description: "For the form's page. With a new card, or with a saved one and its security code. A charge is paid at \
        most once, however often the request is repeated.",
    caller: Caller::PayingShopper,
    parameters: &[COOKIE_ID, PRESS_KEY],
    request: json_body::<DirectCharge>(),
    answers: &[
        DescribedAnswer::json::<DirectChargeAnswer>(
            201,
            "The charge is paid, in progress, or waiting for the shopper.",
        ),
        DescribedAnswer::json::<DeclineBody>(402, "The card was declined. The shopper can try another one."),
    ],
    errors: &[
        ErrorCode::ChargeMismatch,
        ErrorCode::MerchantInactive,
        ErrorCode::ChargeNotFound,
        ErrorCode::PaymentMethodNotFound,
        ErrorCode::ChargeNotPayable,
        ErrorCode::InvalidCard,
        ErrorCode::NetworkUnavailable,
        ErrorCode::SealedCardUnusable,
        ErrorCode::PlainCardRefused,
        ErrorCode::TooManyRequests,
        ErrorCode::Unavailable,
    ],
};

const COOKIE_ID: Parameter = Parameter::header("cookie-id", "The shopper's id for experiments.");

const PRESS_KEY: Parameter = Parameter::header(
    "idempotency-key",
    "One per press of the pay button: a repeated request gets the outcome of the first one. Without it \
        each request is a separate press.",
);

/// Pays a charge. The body must agree with the client secret and the stored charge, and the card must pass the rules.
/// The charge is paid at most once, however often the button is pressed.
///
/// `Idempotency-Key` names a press of the pay button: a request with the same key gets the outcome of the first one.
/// Their bodies are not compared, because a digest of a card number must not be stored. Without the header each
/// request is a separate press; it still waits if another attempt is under way.
pub async fn direct_charge(
    State(charges): State<Arc<Charges>>,
    shopper: PayingShopper,
    ClientAddress(address): ClientAddress,
    JsonBody(mut body): JsonBody<DirectCharge>,
) -> Result<Response, ApiError> {
    charges.expiry.gate.must_be_open()?;
    let claims = shopper.claims;
    check_against_client_secret(&body, &claims)?;
    within_limits(&body)?;
    if let Some(shown) = &body.payment_method.agreement {
        check_shown(shown)?;
    }
    // When the money is taken is the merchant's word, never the page's.
    if body.setting.card.capture_grace_period != 0 {
        return Err(ApiError::invalid(
            "setting.card.capture_grace_period",
            "This field must be 0.",
        ));
    }
    open_card(&charges, &claims, &mut body.payment_method.card).await?;
    let method = &body.payment_method;
    country(
        "payment_method.card.country_code",
        method.card.country_code.as_deref(),
    )?;
    let charge = charges.charge(&claims.charge_id, &claims.sub).await?;
    let merchant = charges.merchants.of(&claims.sub).await?;
    if !merchant.is_some_and(|merchant| merchant.is_active) {
        return Err(merchant_inactive());
    }
    check_against_stored_charge(&body, &charge)?;
    let attributes = Attributes::of_charge(&charge, shopper.cookie_id.as_deref());
    let experiments = charges.experiments.validation(&charge.id, &attributes);
    let card = match &method.id {
        Some(id) => {
            let card = saved_card(
                &charges.saved_cards,
                &claims,
                &charge,
                id,
                &method.card,
                experiments,
            );
            PressedCard::Saved(Box::new(card.await?))
        }
        None => PressedCard::New(new_card(&charges, &method.card, experiments)?),
    };
    let shopper_sent = method.shopper.as_ref();
    let zip_code = check_postal_code(shopper_sent.and_then(|sent| sent.zip_code.as_deref()), &charge)?;
    let authentication = authentication(&charges.public_url, &claims.charge_id, &body)?;
    let wants_to_save = method.save_payment_method == Some(true) || charge.is_setup();
    let saves = method.id.is_none() && wants_to_save && may_save(&charge);
    let save_card = saves
        .then(|| agreement(method.agreement.as_ref(), &charge, charges.clock.now_ms()))
        .transpose()?;
    let charge = charges.expiry.expire_if_due(charge).await?;
    let pressed = Press {
        save_card,
        charge,
        zip_code,
        address: Some(address),
        press_key: shopper.press_key,
        card,
        authentication,
    };
    Ok(match press(&charges, pressed).await? {
        PressAnswer::Taken(status_code) => taken(status_code, None),
        PressAnswer::ActionRequired(action) => taken(ChargeStatus::WaitingForShopperAction, Some(action)),
        PressAnswer::Declined(code) => (StatusCode::PAYMENT_REQUIRED, Json(code.body())).into_response(),
    })
}

/// The typed card, if it passes the rules and has the network that was chosen.
fn new_card(charges: &Charges, typed: &Card, experiments: RuleExperiments) -> Result<ProviderCard, ApiError> {
    let card = check_card(typed, charges.clock.now_ms(), experiments)?;
    check_network(card.network, &charges.saved_cards.networks_of(&card.number))?;
    Ok(card)
}

fn taken(status_code: ChargeStatus, shopper_action: Option<ShopperAction>) -> Response {
    let answer = DirectChargeAnswer {
        status_code,
        shopper_action,
    };
    (StatusCode::CREATED, Json(answer)).into_response()
}

/// The body must name the client secret's charge, amount, currency and shopper; otherwise it is a 403 and nothing is
/// charged.
fn check_against_client_secret(body: &DirectCharge, claims: &ClientSecretClaims) -> Result<(), ApiError> {
    let pairs = [
        ("charge_id", &body.charge_id, &claims.charge_id),
        ("amount_value", &body.amount_value, &claims.amount_value),
        ("amount_currency", &body.amount_currency, &claims.amount_currency),
    ];
    for (field, said, claimed) in pairs {
        if said != claimed {
            return Err(charge_mismatch(field));
        }
    }
    check_shopper(&body.payment_method, &claims.shopper_id)
}

/// The body must name the item, the reference and the amount of the stored charge; otherwise it is a 403. The page shows
/// what its address says, so a changed address could show one thing and charge another; and the merchant may have changed
/// the charge since the client secret was made.
fn check_against_stored_charge(body: &DirectCharge, charge: &Charge) -> Result<(), ApiError> {
    let pairs = [
        ("item_code", &body.item_code, &charge.item_code),
        ("item_name", &body.item_name, &charge.item_name),
        (
            "partner_reference",
            &body.partner_reference,
            &charge.partner_reference,
        ),
        ("amount_value", &body.amount_value, &charge.amount_value),
        ("amount_currency", &body.amount_currency, &charge.amount_currency),
    ];
    for (field, said, stored) in pairs {
        if said != stored {
            return Err(ApiError::new(
                ErrorCode::ChargeMismatch,
                "This field differs from the charge. Nothing was charged.",
            )
            .at(field));
        }
    }
    Ok(())
}

/// A new card comes with `shopper`, a saved one with `shopper_id`; a guest has no id in either
/// (docs/calls.md#direct-charge).
fn check_shopper(method: &PaymentMethod, claimed: &str) -> Result<(), ApiError> {
    let (field, said) = match (&method.id, &method.shopper) {
        (Some(_), _) => ("payment_method.shopper_id", &method.shopper_id),
        (None, Some(shopper)) => ("payment_method.shopper.id", &shopper.id),
        (None, None) => {
            return Err(ApiError::invalid(
                "payment_method.shopper",
                "This field is required with a new card.",
            ));
        }
    };
    if said.as_deref().unwrap_or_default() != claimed {
        return Err(charge_mismatch(field));
    }
    match &method.shopper_id {
        Some(also) if also != claimed => Err(charge_mismatch("payment_method.shopper_id")),
        _ => Ok(()),
    }
}

fn charge_mismatch(field: &'static str) -> ApiError {
    ApiError::new(
        ErrorCode::ChargeMismatch,
        "This field is not what the client secret claims. Nothing was charged.",
    )
    .at(field)
}
