//! Calls of Stripe's API: with a fixed version, an idempotency key for every POST, and a retry if it is safe.
//!
//! A request without an answer, or with an answer that means "not now" (409, 429, 5xx), is sent again with the same key
//! and the same body. For a key that Stripe has executed it repeats its first answer, so nothing is done twice.

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
use crate::http_client::{AnswerSize, HttpAnswer, HttpClient, KeepConnections};

/// The API version that this code reads; it overrides the account's version.
const VERSION: &str = "2024-06-20";
/// How often a request is sent at most.
const TRIES: usize = 3;
/// The pause before the second try; each later pause is twice as long. Stripe may ask for a longer one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// The connection to Stripe.
#[derive(Debug)]
pub(super) struct StripeClient {
    /// Keeps connections for the next call.
    client: HttpClient,
    /// Closes each connection after its answer, so that no buffer keeps a card number.
    card_client: HttpClient,
    authorization: HeaderValue,
}

/// How long to wait for an answer.
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
    /// It was done; with the resulting object.
    Given(T),
    /// Stripe certainly did not do it.
    Refused(StripeRefusal),
    /// The result is not known.
    Lost,
}

/// A refusal by Stripe.
#[derive(Debug)]
pub(super) struct StripeRefusal {
    pub(super) status: StatusCode,
    pub(super) error: StripeError,
}

impl StripeRefusal {
    /// Whether it may be about a parameter that this server does not know: Stripe has a code for that, test servers
    /// have none.
    fn may_be_about_a_parameter(&self) -> bool {
        self.status == StatusCode::BAD_REQUEST
            && matches!(self.error.code.as_deref(), None | Some("parameter_unknown"))
    }

    /// Logs an error for the operator to correct: Stripe refused our request, not the card.
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
    /// Only Stripe's own errors have it; a proxy in between may give any answer.
    #[serde(rename = "type")]
    _kind: String,
    #[serde(flatten)]
    error: StripeError,
}

/// What is called, and with what.
struct StripeCall<'a> {
    client: &'a HttpClient,
    path: &'a str,
    body: Bytes,
    size: AnswerSize,
}

/// The result of one try.
enum TryOutcome<T> {
    Answered(StripeAnswer<T>),
    /// A retry may help, after this time if Stripe names one.
    NotNow(Option<Duration>),
}

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
        self.read(path, deadline, AnswerSize::Usual).await
    }

    /// Gets the page of a list at `path`, which is much longer than other answers.
    pub(super) async fn get_list<T: DeserializeOwned>(
        &self,
        path: &str,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        self.read(path, deadline, AnswerSize::List).await
    }

    async fn read<T: DeserializeOwned>(
        &self,
        path: &str,
        deadline: Deadline,
        size: AnswerSize,
    ) -> StripeAnswer<T> {
        let request = |address| self.client.request(Method::GET, address);
        let call = StripeCall {
            client: &self.client,
            path,
            body: Bytes::new(),
            size,
        };
        self.call(call, deadline, request).await
    }

    /// Posts `form` with an idempotency key. If the server refuses a parameter, the request is sent again without the
    /// optional ones; that is safe, because a request refused with 400 was not executed.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: FormFields,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        let plain = form.has_optional().then(|| form.clone().without_optional());
        let answer = self
            .send(&self.client, path, key, form.into_body(), deadline)
            .await;
        match (answer, plain) {
            (StripeAnswer::Refused(refusal), Some(plain)) if refusal.may_be_about_a_parameter() => {
                // The same key with other parameters would be refused.
                let key = format!("{key}-plain");
                self.send(&self.client, path, &key, plain.into_body(), deadline)
                    .await
            }
            (answer, _) => answer,
        }
    }

    /// Posts a form that contains a card.
    pub(super) async fn post_card<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: FormFields,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        self.send(&self.card_client, path, key, form.into_body(), deadline)
            .await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        client: &HttpClient,
        path: &str,
        key: &str,
        body: Bytes,
        deadline: Deadline,
    ) -> StripeAnswer<T> {
        let request = |address| {
            client
                .request(Method::POST, address)
                .header("idempotency-key", key)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        };
        let call = StripeCall {
            client,
            path,
            body,
            size: AnswerSize::Usual,
        };
        self.call(call, deadline, request).await
    }

    async fn call<T: DeserializeOwned>(
        &self,
        call: StripeCall<'_>,
        deadline: Deadline,
        request: impl Fn(Uri) -> Builder,
    ) -> StripeAnswer<T> {
        let StripeCall {
            client,
            path,
            body,
            size,
        } = call;
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
            match outcome_of(client.send(request, body.clone(), left, size).await) {
                TryOutcome::Answered(answer) => Ok(answer),
                TryOutcome::NotNow(wish) => Err(wish),
            }
        };
        let pauses = ExponentialBuilder::default()
            .with_min_delay(FIRST_PAUSE)
            .with_max_times(TRIES - 1);
        send.retry(pauses)
            .adjust(|wish, pause| {
                let wait = wish.unwrap_or_default().max(pause?);
                (deadline.left()? > wait).then_some(wait)
            })
            .await
            .unwrap_or(StripeAnswer::Lost)
    }
}

fn outcome_of<T: DeserializeOwned>(answer: Option<HttpAnswer>) -> TryOutcome<T> {
    let Some(HttpAnswer {
        status,
        headers,
        body,
    }) = answer
    else {
        return TryOutcome::NotNow(None);
    };
    let said = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
    let should_retry = said("stripe-should-retry");
    let wish = said(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok().map(Duration::from_secs));
    if status.is_success() {
        let read = serde_json::from_slice(&body).ok();
        return read.map_or(TryOutcome::NotNow(None), |given| {
            TryOutcome::Answered(StripeAnswer::Given(given))
        });
    }
    let is_not_now =
        matches!(status, StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS) || status.is_server_error();
    if is_not_now || should_retry.as_deref() == Some("true") {
        tracing::warn!(status = status.as_u16(), "Stripe cannot answer now");
        return match should_retry.as_deref() {
            Some("false") => TryOutcome::Answered(StripeAnswer::Lost),
            _ => TryOutcome::NotNow(wish),
        };
    }
    match serde_json::from_slice::<StripeErrorBody>(&body) {
        Ok(StripeErrorBody { error }) if status.is_client_error() => {
            TryOutcome::Answered(StripeAnswer::Refused(StripeRefusal {
                status,
                error: error.error,
            }))
        }
        _ => {
            tracing::warn!(
                status = status.as_u16(),
                "an answer in place of Stripe's is not understood"
            );
            TryOutcome::Answered(StripeAnswer::Lost)
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
