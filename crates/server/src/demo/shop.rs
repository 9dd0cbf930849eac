//! The shop's own server: its orders, and its client of the merchant API.

use std::time::Duration;

use reqwest::{Client, Method, Response};
use serde::de::DeserializeOwned;
use wire::ErrorCode;

use super::order_book::OrderBook;
use crate::http::api_error::ApiError;

/// How long the merchant API may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The shop's server. It reads and creates charges only over HTTP, through the merchant API, as any merchant's server
/// does.
pub struct Shop {
    pub(super) orders: OrderBook,
    http: Client,
    merchant_api: String,
    secret_key: String,
}

impl Shop {
    /// A shop that uses the merchant API at `origin` with `secret_key`.
    pub fn new(origin: &str, secret_key: String) -> Result<Self, reqwest::Error> {
        Ok(Self {
            orders: OrderBook::default(),
            http: Client::builder().no_proxy().timeout(TIMEOUT).build()?,
            merchant_api: format!("{origin}/v1"),
            secret_key,
        })
    }

    /// Calls the merchant API. Any error of it is a 503 for the shop's page.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<serde_json::Value>,
    ) -> Result<T, ApiError> {
        let url = format!("{}/{path}", self.merchant_api);
        let mut request = self.http.request(method, url).bearer_auth(&self.secret_key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = async {
            request
                .send()
                .await
                .and_then(Response::error_for_status)?
                .json()
                .await
        };
        answer.await.map_err(|error: reqwest::Error| {
            tracing::error!(status = ?error.status(), "the shop could not use the merchant API");
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
