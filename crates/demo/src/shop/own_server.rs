//! The shop's own server: its orders, and its client of the merchant API.

use std::time::Duration;

use protocol::ErrorCode;
use protocol::clock::Clock;
use reqwest::{Client, Method};
use serde::de::DeserializeOwned;
use serde_json::Value;
use standardwebhooks::Webhook;

use super::order_book::{LineKind, LogLine, OrderBook};
use web::ApiError;

/// How long the merchant API may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The shop's server. It reads and creates charges only over HTTP, through the merchant API, as any merchant's server
/// does.
pub struct Shop {
    pub(super) orders: OrderBook,
    /// Checks the signatures of webhooks.
    pub(super) webhook_key: Webhook,
    pub(super) clock: Clock,
    http: Client,
    merchant_api: String,
    secret_key: String,
}

impl Shop {
    /// A shop that uses the merchant API at `origin` with `secret_key`, and takes webhooks that `webhook_key` signed.
    pub fn new(
        origin: &str,
        secret_key: String,
        webhook_key: Webhook,
        clock: Clock,
    ) -> Result<Self, reqwest::Error> {
        Ok(Self {
            orders: OrderBook::default(),
            webhook_key,
            clock,
            http: Client::builder().no_proxy().timeout(TIMEOUT).build()?,
            merchant_api: format!("{origin}/v1"),
            secret_key,
        })
    }

    /// Calls the merchant API about an order, and adds the call to the order. An error of the merchant API is a 503 for
    /// the shop's page.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        order_id: &str,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<T, ApiError> {
        let url = format!("{}/{path}", self.merchant_api);
        let mut line = LogLine {
            number: 0,
            at_ms: self.clock.now_ms(),
            kind: LineKind::Request,
            name: format!("{method} /v1/{path}"),
            status: 0,
            took_ms: 0,
            sent: body.clone(),
            answer: None,
        };
        let mut request = self.http.request(method, url).bearer_auth(&self.secret_key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = async {
            let response = request.send().await.ok()?;
            line.status = response.status().as_u16();
            let is_success = response.status().is_success();
            line.answer = response.json().await.ok();
            let answer = line.answer.clone().filter(|_| is_success)?;
            serde_json::from_value(answer).ok()
        };
        let answer = answer.await;
        line.took_ms = self.clock.now_ms() - line.at_ms;
        let status = line.status;
        self.orders.log(order_id, line);
        answer.ok_or_else(|| {
            tracing::error!(status, "the shop could not use the merchant API");
            ApiError::new(ErrorCode::Unavailable, "The shop cannot take orders right now.")
        })
    }
}

/// Leaves the secret key out.
impl std::fmt::Debug for Shop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shop").finish_non_exhaustive()
    }
}
