//! `GET /v1/pub/experiment-token`: the experiments that the form assigns to a shopper, signed, for pages hosted
//! elsewhere. The form takes the token as its option `experiment_token` and then uses the shopper's cookie id in it.
//! The token gives no access to charges or cards.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use protocol::clock::{Clock, rfc3339};
use protocol::{ChargeIntent, ExperimentToken, ExperimentTokenClaims};
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::{Assigned, Attributes, Experiments};
use merchants::keys::signing::SigningError;
use merchants::keys::signing::client_secret::{ClientSecretError, ClientSecrets, EXPERIMENT_TOKEN_ISSUER};
use web::{ApiError, Caller, CookieId, DescribedAnswer, Operation, Parameter, ParameterValue, is_cookie_id};

/// The operation's part of `/openapi.json`.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/pub/experiment-token",
    id: "experiment_token",
    summary: "Get a shopper's features and experiments, signed",
    description: "For pages hosted elsewhere. The claims of `token` are `sub`, the shopper's cookie id, `features` and \
        `experiments`. Within 15 minutes, pass it to the form as the option `experiment_token`, and the form gives the \
        same shopper the same features. The token gives access to nothing.",
    caller: Caller::Anyone,
    parameters: &[SHOPPER_COOKIE_ID, PAYLOAD],
    answers: &[DescribedAnswer::json::<ExperimentToken>(200, "The token.")],
    ..Operation::OF_MERCHANT
};

const PAYLOAD: Parameter = Parameter::query(
    "payload",
    "The charge that the shopper will pay, for experiments with conditions on the charge.",
    ParameterValue::Payload,
);

const SHOPPER_COOKIE_ID: Parameter = Parameter::query(
    "cookie_id",
    "The shopper's cookie id. Without it the id in the cookie is used, which pages of other sites do not \
        send, or a new one.",
    ParameterValue::CookieId,
);

/// How long a token is valid: long enough to go from one page to the next.
const LIFETIME_SECONDS: i64 = 900;

/// The state of the handler.
pub struct TokenIssuer {
    /// Decides the token's content.
    pub experiments: Experiments,
    /// Signs the token.
    pub client_secrets: ClientSecrets,
    /// The time.
    pub clock: Clock,
    /// Whether shoppers use https.
    pub is_https: bool,
}

/// The query of the request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenQuery {
    /// The shopper; without it the id in the cookie, or a new one.
    cookie_id: Option<String>,
    /// The payload of the charge that the shopper is to pay.
    payload: Option<String>,
}

/// Answers every caller. A page of another site sends no cookie, so that page must store the id of the answer.
pub async fn experiment_token(
    State(issuer): State<Arc<TokenIssuer>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked: TokenQuery = serde_urlencoded::from_str(query.as_deref().unwrap_or(""))
        .map_err(|_| ApiError::invalid("query", "Each parameter may appear once."))?;
    if asked.cookie_id.as_deref().is_some_and(|id| !is_cookie_id(id)) {
        return Err(ApiError::invalid(
            "cookie_id",
            "This parameter must be 1 to 128 letters, digits and -_.~:|.",
        ));
    }
    let shopper = CookieId::of(asked.cookie_id.as_deref(), &headers);
    let attributes = match &asked.payload {
        None => Attributes::of_cookie_id(&shopper.id),
        Some(payload) => {
            let intent = ChargeIntent::from_payload(payload)
                .map_err(|_| ApiError::invalid("payload", "This parameter must be a charge's payload."))?;
            Attributes::of_intent(&intent, &shopper.id)
        }
    };
    let Assigned {
        features,
        experiments,
        available_brands,
    } = issuer.experiments.document().assign(|| attributes);
    let now = issuer.clock.now_seconds();
    let claims = ExperimentTokenClaims {
        iss: EXPERIMENT_TOKEN_ISSUER.to_owned(),
        sub: shopper.id.clone(),
        features,
        experiments,
        available_brands,
        iat: now,
        exp: now.saturating_add(LIFETIME_SECONDS),
    };
    let token = issuer.client_secrets.sign_experiments(&claims).await?;
    let answer = ExperimentToken {
        token,
        cookie_id: shopper.id.clone(),
        expires_at: rfc3339(claims.exp.saturating_mul(1000)),
    };
    let mut response = Json(answer).into_response();
    shopper.keep(response.headers_mut(), issuer.is_https);
    let any_origin = HeaderValue::from_static("*");
    response
        .headers_mut()
        .insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any_origin);
    Ok(response)
}

/// Why a token is refused (docs/experiments.md#pages-hosted-elsewhere). The text never repeats the token.
#[derive(Debug, Error)]
pub enum ExperimentTokenError {
    /// Not a string.
    #[error("Invalid experiment token: must be a string")]
    NotAString,
    /// Not three parts separated by dots.
    #[error("Invalid experiment token: missing part")]
    MissingPart,
    /// The claims are not base64.
    #[error("Invalid experiment token: invalid base64")]
    InvalidBase64,
    /// The claims are not those of an experiment token.
    #[error("Invalid experiment token: invalid json")]
    InvalidJson,
    /// This service did not sign it.
    #[error("Invalid experiment token: not one of this service")]
    NotOurs,
    /// It was valid, but has expired.
    #[error("Invalid experiment token: it has expired")]
    Expired,
    /// The signing keys could not be read.
    #[error(transparent)]
    Keys(#[from] SigningError),
}

/// The claims of a token that this service signed and that has not expired.
pub async fn read_experiment_token(
    client_secrets: &ClientSecrets,
    token: &Value,
) -> Result<ExperimentTokenClaims, ExperimentTokenError> {
    let token = token.as_str().ok_or(ExperimentTokenError::NotAString)?;
    let parts: Vec<&str> = token.split('.').collect();
    let [_, claims, _] = parts[..] else {
        return Err(ExperimentTokenError::MissingPart);
    };
    let claims = URL_SAFE_NO_PAD
        .decode(claims)
        .map_err(|_| ExperimentTokenError::InvalidBase64)?;
    if serde_json::from_slice::<ExperimentTokenClaims>(&claims).is_err() {
        return Err(ExperimentTokenError::InvalidJson);
    }
    client_secrets
        .verify_experiments(token)
        .await
        .map_err(|error| match error {
            ClientSecretError::Invalid => ExperimentTokenError::NotOurs,
            ClientSecretError::Expired => ExperimentTokenError::Expired,
            ClientSecretError::Keys(cause) => ExperimentTokenError::Keys(cause),
        })
}
