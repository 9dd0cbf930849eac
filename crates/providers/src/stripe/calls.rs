//! Calls of Stripe's API: a pinned version, an idempotency key with every POST, and another try where that is safe.
//!
//! A request that got no answer, or one that says "not now" (409, 429, 5xx), is sent again with the same key and the
//! same body. Stripe answers a key that it has executed as it did the first time, so nothing is done twice.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::api_key::ApiKey;
use super::declines::StripeError;
use super::form::Form;
use crate::ProviderError;
use crate::answer::read;

/// The version of the API whose shapes are read here, whatever the account's own is.
const VERSION: &str = "2024-06-20";
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a request is sent at most.
const TRIES: usize = 3;
/// The pause before the second try; the next one is twice as long. Stripe may ask for a longer one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// The connection to Stripe.
#[derive(Debug)]
pub(super) struct Calls {
    /// Keeps connections for the next call.
    client: Client,
    /// Ends each connection with its answer, so that no buffer of it keeps a card number.
    card_client: Client,
    base: String,
    authorization: HeaderValue,
}

/// Until when an answer is waited for.
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

/// What a call was answered.
#[derive(Debug)]
pub(super) enum Answer<T> {
    /// It was done; what it is now.
    Given(T),
    /// Stripe says for certain that it did not do it.
    Refused(Refusal),
    /// There is no telling.
    Lost,
}

/// Stripe's no.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) error: StripeError,
}

impl Refusal {
    /// Whether it may be about a parameter that this peer does not know: Stripe has a code for that, smaller relatives
    /// have none.
    fn may_be_of_a_parameter(&self) -> bool {
        self.status == StatusCode::BAD_REQUEST
            && matches!(self.error.code.as_deref(), None | Some("parameter_unknown"))
    }

    /// Tells the operator, who has something to put right: not a card was refused but a request.
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
struct ErrorBody {
    error: ErrorDetail,
}

#[derive(Deserialize)]
struct ErrorDetail {
    /// Only Stripe's own words have one; a proxy in between may answer anything.
    #[serde(rename = "type")]
    _kind: String,
    #[serde(flatten)]
    error: StripeError,
}

/// One try.
enum Tried<T> {
    Answered(Answer<T>),
    /// Another try may help, after this time if Stripe names one.
    NotNow(Option<Duration>),
}

impl Calls {
    pub(super) fn new(url: &Url, key: &ApiKey) -> Result<Self, ProviderError> {
        let builder = || {
            Client::builder()
                // A card number goes to Stripe and to nobody whom a redirect or the environment names.
                .redirect(Policy::none())
                .no_proxy()
                .connect_timeout(CONNECT_TIMEOUT)
        };
        let built = |client: reqwest::Result<Client>| client.map_err(|_| ProviderError);
        Ok(Self {
            client: built(builder().build())?,
            card_client: built(builder().pool_max_idle_per_host(0).build())?,
            base: url.as_str().trim_end_matches('/').to_owned(),
            authorization: key.header().ok_or(ProviderError)?,
        })
    }

    /// What stands at `path`.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, deadline: Deadline) -> Answer<T> {
        self.call(deadline, || self.client.get(self.url(path))).await
    }

    /// Posts `form` under an idempotency key. A peer that refuses a parameter is asked once more without the optional
    /// ones: what is refused with 400 was not executed.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: Form,
        deadline: Deadline,
    ) -> Answer<T> {
        let plain = form.has_optional().then(|| form.clone().without_optional());
        let answer = self
            .send(&self.client, path, key, form.into_body(), deadline)
            .await;
        match (answer, plain) {
            (Answer::Refused(refusal), Some(plain)) if refusal.may_be_of_a_parameter() => {
                // Other parameters under the same key would be refused.
                let key = format!("{key}-plain");
                self.send(&self.client, path, &key, plain.into_body(), deadline)
                    .await
            }
            (answer, _) => answer,
        }
    }

    /// Posts a form that holds a card.
    pub(super) async fn post_card<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        form: Form,
        deadline: Deadline,
    ) -> Answer<T> {
        self.send(&self.card_client, path, key, form.into_body(), deadline)
            .await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        client: &Client,
        path: &str,
        key: &str,
        body: Bytes,
        deadline: Deadline,
    ) -> Answer<T> {
        self.call(deadline, || {
            client
                .post(self.url(path))
                .header("idempotency-key", key)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(body.clone())
        })
        .await
    }

    async fn call<T: DeserializeOwned>(
        &self,
        deadline: Deadline,
        request: impl Fn() -> RequestBuilder,
    ) -> Answer<T> {
        let send = || async {
            let Some(left) = deadline.left() else {
                return Ok(Answer::Lost);
            };
            let request = request()
                .timeout(left)
                .header(AUTHORIZATION, self.authorization.clone())
                .header("stripe-version", VERSION);
            match tried(request.send().await).await {
                Tried::Answered(answer) => Ok(answer),
                Tried::NotNow(wish) => Err(wish),
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
            .unwrap_or(Answer::Lost)
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

async fn tried<T: DeserializeOwned>(sent: reqwest::Result<Response>) -> Tried<T> {
    let Ok(answer) = sent else {
        return Tried::NotNow(None);
    };
    let status = answer.status();
    let said = |name: &str| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
    let should_retry = said("stripe-should-retry");
    let wish = said(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok().map(Duration::from_secs));
    let body = read(answer).await;
    if status.is_success() {
        let read = serde_json::from_slice(&body).ok();
        return read.map_or(Tried::NotNow(None), |given| Tried::Answered(Answer::Given(given)));
    }
    let is_not_now =
        matches!(status, StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS) || status.is_server_error();
    if is_not_now || should_retry.as_deref() == Some("true") {
        tracing::warn!(status = status.as_u16(), "Stripe cannot answer now");
        return match should_retry.as_deref() {
            Some("false") => Tried::Answered(Answer::Lost),
            _ => Tried::NotNow(wish),
        };
    }
    match serde_json::from_slice::<ErrorBody>(&body) {
        Ok(ErrorBody { error }) if status.is_client_error() => Tried::Answered(Answer::Refused(Refusal {
            status,
            error: error.error,
        })),
        _ => {
            tracing::warn!(
                status = status.as_u16(),
                "an answer in Stripe's place says nothing"
            );
            Tried::Answered(Answer::Lost)
        }
    }
}

/// Whether `text` is a name or reference of Stripe's making: it can stand in a path and in a log.
pub(super) fn is_name(text: &str) -> bool {
    (1..=255).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
