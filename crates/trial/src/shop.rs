//! What a merchant's server and a shopper's page say to the service, one call at a time.

use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use crate::TrialError;

/// As long as the page waits for an answer, and a bit: an answer after that is lost.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(45);

/// What every charge costs.
pub const AMOUNT: (&str, &str) = ("12.50", "USD");

/// A merchant with its secret key.
#[derive(Debug, Clone)]
pub struct Merchant {
    http: Client,
    partner_id: String,
    secret_key: String,
    webhook_secret: String,
}

/// A charge as its shopper has it.
#[derive(Debug, Clone)]
pub struct Created {
    /// `ch_…`.
    pub id: String,
    client_secret: String,
    /// The merchant's own reference, which whoever pays must name.
    reference: String,
}

/// An answer of the service.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// HTTP.
    pub status: u16,
    /// JSON, or null.
    pub body: Value,
}

impl Merchant {
    /// The merchant that `cardform merchant add --json` answered with.
    pub fn new(added: &Value) -> Result<Self, TrialError> {
        let text = |name: &str| added[name].as_str().map(str::to_owned);
        let http = Client::builder().no_proxy().timeout(ANSWER_TIMEOUT).build();
        match (text("partner_id"), text("secret_key"), http) {
            (Some(partner_id), Some(secret_key), Ok(http)) => Ok(Self {
                http,
                partner_id,
                secret_key,
                webhook_secret: text("webhook_secret").unwrap_or_default(),
            }),
            _ => Err(TrialError::Answer("no merchant".to_owned())),
        }
    }

    /// What signs its events; it must have an endpoint.
    pub(crate) fn signer(&self) -> Result<Webhook, TrialError> {
        Webhook::new(&self.webhook_secret).map_err(|_| TrialError::Answer("no webhook secret".to_owned()))
    }

    /// Makes a charge; `key` makes it once, however often it is asked for. Nothing when the answer is lost.
    pub async fn create(&self, node: &str, key: &str) -> Option<Created> {
        let (amount_value, amount_currency) = AMOUNT;
        let request = self.http.post(format!("{node}/v1/charges"));
        let answer = send(
            request
                .bearer_auth(&self.secret_key)
                .header("idempotency-key", key)
                .json(&json!({
                    "item_code": "gems-100", "item_name": "100 gems", "amount_value": amount_value,
                    "amount_currency": amount_currency, "partner_reference": key,
                })),
        )
        .await?;
        Some(Created {
            id: answer.body["id"].as_str()?.to_owned(),
            client_secret: answer.body["client_secret"].as_str()?.to_owned(),
            reference: key.to_owned(),
        })
    }

    /// Withdraws a charge. Nothing when the answer is lost.
    pub async fn cancel(&self, node: &str, id: &str) -> Option<Answer> {
        let request = self.http.post(format!("{node}/v1/charges/{id}/cancel"));
        send(request.bearer_auth(&self.secret_key)).await
    }

    /// Where the charge stands for the merchant. Nothing when the answer is lost.
    pub async fn view(&self, node: &str, id: &str) -> Option<Answer> {
        let request = self.http.get(format!("{node}/v1/charges/{id}"));
        send(request.bearer_auth(&self.secret_key)).await
    }

    /// A press of the pay button. Nothing when the answer is lost.
    pub async fn press(&self, node: &str, charge: &Created, key: &str, number: &str) -> Option<Answer> {
        let request = self.http.post(format!("{node}/v1/pub/direct/charges"));
        send(
            request
                .bearer_auth(&charge.client_secret)
                .header("partner-id", &self.partner_id)
                .header("idempotency-key", key)
                .json(&direct_charge(charge, number)),
        )
        .await
    }

    /// Every entry of the simulator's ledger.
    pub async fn ledger(&self, simulator: &str) -> Result<Vec<Value>, TrialError> {
        let answer = send(self.http.get(format!("{simulator}/ledger"))).await;
        match answer.map(|answer| answer.body) {
            Some(Value::Array(entries)) => Ok(entries),
            _ => Err(TrialError::Answer("no ledger".to_owned())),
        }
    }
}

async fn send(request: RequestBuilder) -> Option<Answer> {
    let answer = request.send().await.ok()?;
    let status = answer.status().as_u16();
    let text = answer.text().await.ok()?;
    let body = serde_json::from_str(&text).unwrap_or_default();
    Some(Answer { status, body })
}

/// The direct charge of a new card, as the page builds it for a guest (docs/calls.md#direct-charge).
fn direct_charge(charge: &Created, number: &str) -> Value {
    let (amount_value, amount_currency) = AMOUNT;
    json!({
        "charge_id": charge.id, "item_code": "gems-100", "item_name": "100 gems",
        "amount_value": amount_value, "amount_currency": amount_currency, "partner_reference": charge.reference,
        "shopper_agent": {
            "ip_address": "", "user_agent": "trial", "timezone": 0, "screen_height": 800, "screen_width": 400,
            "color_depth": 24, "accept_header": "text/html", "fraud_metadata": {"fraud_token": ""},
            "device_metadata": {"session_id": null},
        },
        "setting": {
            "default_language": "en",
            "card": {"capture_grace_period": 0, "three_ds_challenge_window_size": "390x400"},
        },
        "tax": {"tax_code": "CD010001"},
        "payment_method": {
            "type": "card", "save_payment_method": false,
            "card": {
                "country_code": "US", "number": number, "holder_name": "Ana", "expiration_month": "12",
                "expiration_year": "2035", "security_code": "123",
            },
            "shopper": {"partner_shopper_id": "", "zip_code": "", "email": "sam@example.com"},
        },
        "partner_custom_data": {
            "merchant_id": null, "merchant_name": null, "merchant_email": null, "merchant_user_id": null,
            "mno_id": null,
        },
    })
}
