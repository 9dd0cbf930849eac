//! Who calls: a merchant with its secret key, or a shopper's page with its client secret.

pub mod client_ip;

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};
use protocol::clock::Clock;
use protocol::{CardSessionClaims, ClientSecretClaims, ErrorCode};
use store::{Partner, Store};

use crate::keys::signing::client_secret::{ClientSecretError, ClientSecrets, LinkClaims};
use web::{ApiError, is_cookie_id};
pub use web::{note_charge, note_partner};

/// The most bytes that a secret key, a cookie id or an idempotency key may have.
const HEADER_BYTES_MAX: usize = 255;

const PARTNER_ID: HeaderName = HeaderName::from_static("partner-id");
const COOKIE_ID: HeaderName = HeaderName::from_static("cookie-id");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The state that authenticates callers.
pub struct Callers {
    /// Finds merchants by their secret keys.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// Checks client secrets.
    pub client_secrets: ClientSecrets,
}

/// The merchant of the secret key in `Authorization: Bearer sk_…`. Without a valid key the request is a 401.
#[derive(Debug)]
pub struct Merchant(pub Partner);

impl<S: Send + Sync> FromRequestParts<S> for Merchant
where
    Arc<Callers>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let refused = || {
            ApiError::new(
                ErrorCode::SecretKeyInvalid,
                "Send a valid secret key as Authorization: Bearer sk_….",
            )
        };
        let key = bearer(&parts.headers)
            .filter(|key| key.starts_with("sk_") && key.len() <= HEADER_BYTES_MAX)
            .ok_or_else(refused)?;
        let callers = <Arc<Callers>>::from_ref(state);
        let partner = callers
            .store
            .partner_by_secret_key(key, callers.clock.now_ms())
            .await?;
        let partner = partner.ok_or_else(refused)?;
        note_partner(&partner.id);
        Ok(Self(partner))
    }
}

/// A shopper's page, as the client secret in `Authorization: Bearer` claims it. Without a valid client secret the
/// request is a 401. If there is a `partner-id` header, it must name the client secret's partner, otherwise it is a
/// 403.
#[derive(Debug)]
pub struct CallingShopper(pub ClientSecretClaims);

impl<S: Send + Sync> FromRequestParts<S> for CallingShopper
where
    Arc<Callers>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let ReadingShopper { claims, has_expired } = ReadingShopper::from_request_parts(parts, state).await?;
        if has_expired {
            return Err(client_secret_expired());
        }
        Ok(Self(claims))
    }
}

/// A [`CallingShopper`] who only asks how the charge ended. The client secret may have expired, for example while the
/// shopper was at the bank.
#[derive(Debug)]
pub struct ReadingShopper {
    /// The claims of the client secret.
    pub claims: ClientSecretClaims,
    /// Whether the client secret has expired.
    pub has_expired: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for ReadingShopper
where
    Arc<Callers>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let token = token_of(parts, "Send the client secret as Authorization: Bearer.")?;
        let (claims, has_expired) = <Arc<Callers>>::from_ref(state)
            .client_secrets
            .verify_signature(token)
            .await
            .map_err(|error| refused(error, "The client secret is not one of this service."))?;
        note_partner(&claims.sub);
        note_charge(&claims.charge_id);
        must_name_partner(parts, &claims.sub)?;
        Ok(Self { claims, has_expired })
    }
}

/// A shopper's card page, as the card session in `Authorization: Bearer` claims it. Without a valid session the request is a
/// 401, also with a charge's client secret. A `partner-id` header must name the session's partner, otherwise it is a 403.
#[derive(Debug)]
pub struct CardPage(pub CardSessionClaims);

impl<S: Send + Sync> FromRequestParts<S> for CardPage
where
    Arc<Callers>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let token = token_of(
            parts,
            "Send the card session's client_secret as Authorization: Bearer.",
        )?;
        let claims = <Arc<Callers>>::from_ref(state)
            .client_secrets
            .verify_card_session(token)
            .await
            .map_err(|error| {
                refused(
                    error,
                    "This is not the client_secret of a card session of this service.",
                )
            })?;
        note_partner(&claims.sub);
        must_name_partner(parts, &claims.sub)?;
        Ok(Self(claims))
    }
}

/// A page that may see a shopper's cards: a card page, or the page of a charge.
#[derive(Debug)]
pub enum CardsCaller {
    /// A card page.
    CardPage(CardSessionClaims),
    /// The page of a charge; whether it may see the cards depends on the charge.
    Charge(ClientSecretClaims),
}

impl<S: Send + Sync> FromRequestParts<S> for CardsCaller
where
    Arc<Callers>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let refused = match CallingShopper::from_request_parts(parts, state).await {
            Ok(CallingShopper(claims)) => return Ok(Self::Charge(claims)),
            Err(error) => error,
        };
        if refused.detail().code != ErrorCode::ClientSecretInvalid {
            return Err(refused);
        }
        let CardPage(claims) = CardPage::from_request_parts(parts, state).await?;
        Ok(Self::CardPage(claims))
    }
}

/// A payment page, as the link in `Authorization: Bearer` claims it. Without a valid link the request is a 401.
#[derive(Debug)]
pub struct Link(pub LinkClaims);

impl<S: Send + Sync> FromRequestParts<S> for Link
where
    Arc<Callers>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let token = token_of(parts, "Send the link's text as Authorization: Bearer.")?;
        let claims = <Arc<Callers>>::from_ref(state)
            .client_secrets
            .verify_link(token)
            .await
            .map_err(|error| refused(error, "The link is not one of this service."))?;
        note_partner(&claims.sub);
        Ok(Self(claims))
    }
}

/// The bearer token; without one a 401 that says what to send.
fn token_of<'a>(parts: &'a Parts, what_to_send: &'static str) -> Result<&'a str, ApiError> {
    bearer(&parts.headers).ok_or_else(|| ApiError::new(ErrorCode::ClientSecretMissing, what_to_send))
}

/// The answer to a token that is not valid. Only a card session is refused here because it has expired.
fn refused(error: ClientSecretError, invalid: &'static str) -> ApiError {
    match error {
        ClientSecretError::Invalid => ApiError::new(ErrorCode::ClientSecretInvalid, invalid),
        ClientSecretError::Expired => ApiError::new(
            ErrorCode::ClientSecretExpired,
            "The card session has expired. Get a new one from POST /v1/shoppers/{shopper_id}/card-sessions.",
        ),
        ClientSecretError::Keys(cause) => cause.into(),
    }
}

/// A 403 if a `partner-id` header names another partner than the token's.
fn must_name_partner(parts: &Parts, partner_id: &str) -> Result<(), ApiError> {
    match parts.headers.get(PARTNER_ID) {
        Some(named) if named.as_bytes() != partner_id.as_bytes() => Err(partner_mismatch()),
        _ => Ok(()),
    }
}

/// 401: the client secret has expired.
pub fn client_secret_expired() -> ApiError {
    ApiError::new(
        ErrorCode::ClientSecretExpired,
        "The client secret has expired. Get a new one from POST /v1/charges/{id}/client-secret.",
    )
}

/// A [`CallingShopper`] who pays, with all headers (docs/calls.md#who-calls). `partner-id` is required: without it the
/// request is a 403. `cookie-id` and `Idempotency-Key` must be well formed, otherwise it is a 400.
#[derive(Debug)]
pub struct PayingShopper {
    /// The claims of the client secret.
    pub claims: ClientSecretClaims,
    /// The shopper's id for experiments; none if the header is missing or is no cookie id.
    pub cookie_id: Option<String>,
    /// One per press of the pay button. Without it the request is a separate press.
    pub press_key: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for PayingShopper
where
    Arc<Callers>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let CallingShopper(claims) = CallingShopper::from_request_parts(parts, state).await?;
        if !parts.headers.contains_key(PARTNER_ID) {
            return Err(partner_mismatch());
        }
        let cookie_id = header_text(&parts.headers, &COOKIE_ID)?.filter(|id| is_cookie_id(id));
        let press_key = header_text(&parts.headers, &IDEMPOTENCY_KEY)?;
        Ok(Self {
            claims,
            cookie_id,
            press_key,
        })
    }
}

/// The `Idempotency-Key` of a merchant's request, if it has one.
#[derive(Debug)]
pub struct IdempotencyKey(pub Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        header_text(&parts.headers, &IDEMPOTENCY_KEY).map(Self)
    }
}

fn partner_mismatch() -> ApiError {
    ApiError::new(
        ErrorCode::PartnerMismatch,
        "The partner-id header must name the client secret's partner.",
    )
    .at("partner-id")
}

/// The token of `Authorization: Bearer`.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers
        .get(header::AUTHORIZATION)?
        .to_str()
        .ok()?
        .split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// The value of a header, if the request has it. It must be 1 to 255 visible ASCII characters, otherwise it is a 400.
fn header_text(headers: &HeaderMap, name: &HeaderName) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get(name) else {
        return Ok(None);
    };
    value
        .to_str()
        .ok()
        .filter(|text| (1..=HEADER_BYTES_MAX).contains(&text.len()))
        .filter(|text| text.bytes().all(|b| b.is_ascii_graphic()))
        .map(|text| Some(text.to_owned()))
        .ok_or_else(|| {
            ApiError::invalid(
                name.as_str(),
                "This header must have 1 to 255 visible ASCII characters.",
            )
        })
}
