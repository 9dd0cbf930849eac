//! Calls Stripe's API with a fixed version, an idempotency key for every POST, and a retry if it is safe.
//!
//! A request without an answer, or with an answer that means "not now" (409, 429, 5xx), is sent again with the same key
//! and the same body. Stripe executes a key only once and repeats its first answer, so nothing is done twice.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::request::Builder;
use http::{Method, StatusCode, Uri};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;
use url::Url;

use super::api_key::ApiKey;
use super::declines::StripeError;
use super::form::FormFields;
use crate::ProviderError;
use crate::http_client::{HttpAnswer, HttpClient, KeepConnections};

/// The API version that this code reads; it overrides the account's version.
const VERSION: &str = "2024-06-20";
/// The most tries of a request.
const TRIES: usize = 3;
/// The pause before the second try; each later pause is twice as long. Stripe may ask for a longer one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// The connection to Stripe.
#[derive(Debug)]
pub(super) struct StripeClient {
    /// Keeps its connections for the next call.
    client: HttpClient,
    /// Closes each connection after its answer, so that no buffer keeps a card number.
    card_client: HttpClient,
    authorization: HeaderValue,
}

/// The time until which the connector waits for answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(Instant);

impl Deadline {
    pub(super) fn after(timeout: Duration) -> Self {
        Self(Instant::now() + timeout)
    }

    fn left(self) -> Option<Duration> {
        let left = self.0.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }
}

/// The answer to a call.
#[derive(Debug)]
pub(super) enum StripeAnswer<T> {
    /// Stripe executed the request; with the resulting object.
    Given(T),
    /// Stripe certainly did not execute the request.
    Refused(StripeRefusal),
    /// The result is not known.
    Lost,
}

/// A refusal by Stripe.
#[derive(Debug)]
pub(super) struct StripeRefusal {
    pub(super) status: StatusCode,
    pub(super) error: StripeError,
    /// The idempotency key was used for another request, whose result is not known.
    pub(super) is_about_the_key: bool,
}

impl StripeRefusal {
    /// Whether the server may not know an optional parameter, or does not accept its value. Stripe has a code for the first,
    /// and names the parameter; test servers do neither.
    fn may_be_about_optional(&self, form: &FormFields) -> bool {
        let StripeError { code, param, .. } = &self.error;
        self.status == StatusCode::BAD_REQUEST
            && (matches!(code.as_deref(), None | Some("parameter_unknown"))
                || param.as_deref().is_some_and(|param| form.is_optional(param)))
    }

    /// Whether the customer of the request does not exist, because it was deleted at Stripe.
    pub(super) fn names_no_customer(&self) -> bool {
        let StripeError { code, param, .. } = &self.error;
        code.as_deref() == Some("resource_missing") && param.as_deref() == Some("customer")
    }

    /// Logs an error that the operator must correct, because Stripe refused our request and not the card.
    pub(super) fn report(&self, what: &'static str) {
        let code = self.error.code.as_deref().filter(|code| is_name(code));
        tracing::error!(
            status = self.status.as_u16(),
            code = code.unwrap_or_default(),
            what,
            "Stripe refused a request"
        );
    }
}

#[derive(Deserialize)]
struct StripeErrorBody {
    error: StripeErrorDetail,
}

#[derive(Deserialize)]
struct StripeErrorDetail {
    /// Only Stripe's own errors have a type. A proxy in between may send any answer.
    #[serde(rename = "type")]
    kind: String,
    #[serde(flatten)]
    error: StripeError,
}

/// A retry may help, after this time if Stripe names one.
struct NotNow(Option<Duration>);

impl StripeClient {
    pub(super) fn new(url: &Url, key: &ApiKey) -> Result<Self, ProviderError> {
        Ok(Self {
            client: HttpClient::new(url, KeepConnections::Yes)?,
            card_client: HttpClient::new(url, KeepConnections::No)?,
            authorization: key.header().ok_or(ProviderError)?,
        })
    }

    /// Gets the object at `path`.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, deadline: Deadline) -> StripeAnswer<T> {
        let request = |address| self.client.request(Method::GET, address);
        self.call(&self.client, path, Bytes::new(), (TRIES, deadline), request)
            .await
    }

    /// Deletes an object. Doing this twice is harmless.
    pub(super) async fn delete<T: DeserializeOwned>(
        &self,
        path: &str,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        let request = |address| self.client.request(Method::DELETE, address);
        self.call(&self.client, path, Bytes::new(), (TRIES, deadline), request)
            .await
    }

    /// Posts `form` with an idempotency key. If the server refuses an optional field, the request is sent again without
    /// it, or without all of them if the server names none. That is safe, because a request refused with 400 was not executed.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: FormFields,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        self.post_leniently(&self.client, path, key, form, deadline).await
    }

    /// Posts a form once, without a retry after a lost answer.
    pub(super) async fn post_once<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: FormFields,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        self.send(&self.client, path, key, form.into_body(), (1, deadline))
            .await
    }

    /// Posts a form that contains a card, like [`StripeClient::post`].
    pub(super) async fn post_card<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: FormFields,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        self.post_leniently(&self.card_client, path, key, form, deadline)
            .await
    }

    async fn post_leniently<T: DeserializeOwned>(
        &self,
        client: &HttpClient,
        path: &str,
        key: &str,
        form: FormFields,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        let (mut key, mut form) = (key.to_owned(), form);
        loop {
            let body = form.clone().into_body();
            let refusal = match self.send(client, path, &key, body, (TRIES, deadline)).await {
                StripeAnswer::Refused(refusal) if refusal.may_be_about_optional(&form) => refusal,
                answer => return answer,
            };
            let Some(plainer) = form.without_optional(refusal.error.param.as_deref()) else {
                return StripeAnswer::Refused(refusal);
            };
            form = plainer;
            // The same key with other parameters would be refused.
            key.push_str("-plain");
        }
    }

    async fn send<T: DeserializeOwned>(
        &self,
        client: &HttpClient,
        path: &str,
        key: &str,
        body: Bytes,
        limits: (usize, Deadline),
    ) -> StripeAnswer<T> {
        let request = |address| {
            client
                .request(Method::POST, address)
                .header("idempotency-key", key)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        };
        self.call(client, path, body, limits, request).await
    }

    async fn call<T: DeserializeOwned>(
        &self,
        client: &HttpClient,
        path: &str,
        body: Bytes,
        (tries, deadline): (usize, Deadline),
        request: impl Fn(Uri) -> Builder,
    ) -> StripeAnswer<T> {
        let Ok(address) = client.address(path) else {
            return StripeAnswer::Lost;
        };
        let send = || async {
            let Some(left) = deadline.left() else {
                return Ok(StripeAnswer::Lost);
            };
            let request = request(address.clone())
                .header(AUTHORIZATION, self.authorization.clone())
                .header("stripe-version", VERSION);
            read(client.send(request, body.clone(), left).await)
        };
        let pauses = ExponentialBuilder::default()
            .with_min_delay(FIRST_PAUSE)
            .with_max_times(tries - 1);
        send.retry(pauses)
            .adjust(|NotNow(after), pause| {
                let wait = after.unwrap_or_default().max(pause?);
                (deadline.left()? > wait).then_some(wait)
            })
            .await
            .unwrap_or(StripeAnswer::Lost)
    }
}

fn read<T: DeserializeOwned>(answer: Option<HttpAnswer>) -> Result<StripeAnswer<T>, NotNow> {
    let Some(HttpAnswer {
        status,
        headers,
        body,
    }) = answer
    else {
        return Err(NotNow(None));
    };
    if status.is_success() {
        let object = serde_json::from_slice(&body);
        return object.map(StripeAnswer::Given).map_err(|_| NotNow(None));
    }
    let header = |name: &str| headers.get(name)?.to_str().ok();
    let should_retry = header("stripe-should-retry");
    let is_not_now =
        matches!(status, StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS) || status.is_server_error();
    if is_not_now || should_retry == Some("true") {
        tracing::warn!(status = status.as_u16(), "Stripe cannot answer now");
        if should_retry == Some("false") {
            return Ok(StripeAnswer::Lost);
        }
        let seconds = header(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok());
        return Err(NotNow(seconds.map(Duration::from_secs)));
    }
    match serde_json::from_slice::<StripeErrorBody>(&body) {
        Ok(StripeErrorBody { error }) if status.is_client_error() => {
            Ok(StripeAnswer::Refused(StripeRefusal {
                status,
                is_about_the_key: error.kind == "idempotency_error",
                error: error.error,
            }))
        }
        _ => {
            tracing::warn!(
                status = status.as_u16(),
                "an answer in place of Stripe's is not understood"
            );
            Ok(StripeAnswer::Lost)
        }
    }
}

/// Whether `text` looks like one of Stripe's names or references, so that it is safe in a path and in a log.
pub(super) fn is_name(text: &str) -> bool {
    (1..=255).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
