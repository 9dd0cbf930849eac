//! The calls of a merchant's server and a shopper's page to the service.

pub mod direct_charge;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use self::direct_charge::{CardToPay, direct_charge};
use crate::load::at_once;
use crate::process::Program;

/// A bit longer than the page waits for an answer. A later answer counts as lost.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(45);

/// What every charge costs.
pub const AMOUNT: (&str, &str) = ("12.50", "USD");

/// A merchant with its keys.
#[derive(Debug, Clone)]
pub struct TrialMerchant {
    /// Its HTTP client, which shoppers use, too.
    pub http: Client,
    /// `partner_…`.
    pub partner_id: String,
    secret_key: String,
    webhook_secret: String,
}

/// A new charge with what its shopper needs.
#[derive(Debug, Clone)]
pub struct CreatedTrialCharge {
    /// `ch_…`.
    pub id: String,
    /// The signed payload of its page's address.
    pub payload: String,
    /// Lets its shopper pay.
    pub client_secret: String,
    /// The merchant's own reference. A payment must name it.
    pub reference: String,
    /// The merchant's id of a shopper who has an account; empty for a guest.
    pub shopper_id: String,
    /// A decimal string.
    pub amount_value: String,
}

/// An answer of the service.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceAnswer {
    /// The HTTP status.
    pub status: u16,
    /// JSON, or null.
    pub body: Value,
}

impl TrialMerchant {
    /// The merchant in the output of `cardform merchant add --json`.
    pub fn new(added: &Value) -> Result<Self> {
        let text = |name: &str| added[name].as_str().map(str::to_owned);
        // A redirect leads back to the page, and the shoppers of a drill have none.
        let http = Client::builder().no_proxy().redirect(Policy::none());
        Ok(Self {
            http: http.timeout(ANSWER_TIMEOUT).build()?,
            partner_id: text("partner_id").context("no merchant")?,
            secret_key: text("secret_key").context("no merchant")?,
            webhook_secret: text("webhook_secret").unwrap_or_default(),
        })
    }

    /// Migrates the database, and adds a merchant to it with more arguments.
    pub fn add(program: &Program, database: &str, more: &str) -> Result<Self> {
        program.run(&format!("migrate --database {database}"))?;
        Self::new(&program.run(&format!("merchant add --name Shop --database {database} {more}"))?)
    }

    /// The key that signs its events; the merchant must have an endpoint.
    pub fn signer(&self) -> Result<Webhook> {
        Ok(Webhook::new(&self.webhook_secret)?)
    }

    /// Creates a guest's charge; `key` makes repeated calls create it once. `None` if the answer is lost.
    pub async fn create(&self, node: &str, key: &str) -> Option<CreatedTrialCharge> {
        self.create_for(node, key, "", "automatic").await
    }

    /// Creates a charge for a shopper with this id, who may save cards and pay with saved ones; a guest's id is empty. The money
    /// is taken at once or held, as the capture method says.
    pub async fn create_for(
        &self,
        node: &str,
        key: &str,
        shopper_id: &str,
        capture_method: &str,
    ) -> Option<CreatedTrialCharge> {
        let mut more = json!({});
        if capture_method != "automatic" {
            more["capture_method"] = json!(capture_method);
        }
        if !shopper_id.is_empty() {
            more["shopper_id"] = json!(shopper_id);
            for flag in [
                "enable_save_payment_method",
                "eligible_save_payment_methods",
                "display_saved_payment_method_list",
            ] {
                more[flag] = json!(true);
            }
        }
        self.create_with(node, key, more).await
    }

    /// Creates a charge with these fields besides the usual ones, or in their place. `None` if the answer is lost.
    pub async fn create_with(&self, node: &str, key: &str, more: Value) -> Option<CreatedTrialCharge> {
        let (amount_value, amount_currency) = AMOUNT;
        let mut body = json!({
            "item_code": "gems-100", "item_name": "100 gems", "amount_value": amount_value,
            "amount_currency": amount_currency, "partner_reference": key,
        });
        body.as_object_mut()?.extend(more.as_object()?.clone());
        let request = self.http.post(format!("{node}/v1/charges"));
        let request = request
            .bearer_auth(&self.secret_key)
            .header("idempotency-key", key);
        let answer = send(request.json(&body)).await?;
        Some(CreatedTrialCharge {
            id: answer.body["id"].as_str()?.to_owned(),
            payload: answer.body["payload"].as_str()?.to_owned(),
            client_secret: answer.body["client_secret"].as_str()?.to_owned(),
            reference: key.to_owned(),
            shopper_id: body["shopper_id"].as_str().unwrap_or_default().to_owned(),
            amount_value: body["amount_value"].as_str()?.to_owned(),
        })
    }

    /// Creates this many charges, several at the same time.
    pub async fn create_many(&self, node: &str, count: usize) -> Result<Vec<CreatedTrialCharge>> {
        at_once(count, |number| {
            let (merchant, node) = (self.clone(), node.to_owned());
            async move { merchant.create(&node, &format!("order-{number}")).await }
        })
        .await
    }

    /// Cancels a charge. `None` if the answer is lost.
    pub async fn cancel(&self, node: &str, id: &str) -> Option<ServiceAnswer> {
        self.act(node, &format!("{id}/cancel"), "cancel", &json!({}))
            .await
    }

    /// Refunds, captures or cancels: a POST to this path behind `/v1/charges/`. `None` if the answer is lost.
    pub async fn act(&self, node: &str, path: &str, key: &str, body: &Value) -> Option<ServiceAnswer> {
        let request = self.http.post(format!("{node}/v1/charges/{path}"));
        let request = request
            .bearer_auth(&self.secret_key)
            .header("idempotency-key", key);
        send(request.json(body)).await
    }

    /// The charge as the merchant sees it. `None` if the answer is lost.
    pub async fn view(&self, node: &str, id: &str) -> Option<ServiceAnswer> {
        let request = self.http.get(format!("{node}/v1/charges/{id}"));
        send(request.bearer_auth(&self.secret_key)).await
    }

    /// A press of the pay button. `None` if the answer is lost.
    pub async fn press(
        &self,
        node: &str,
        charge: &CreatedTrialCharge,
        key: &str,
        number: &str,
    ) -> Option<ServiceAnswer> {
        let card = CardToPay::New { number, save: false };
        self.press_with(node, charge, key, &card).await
    }

    /// A press with this card. `None` if the answer is lost.
    pub async fn press_with(
        &self,
        node: &str,
        charge: &CreatedTrialCharge,
        key: &str,
        card: &CardToPay<'_>,
    ) -> Option<ServiceAnswer> {
        let request = self.http.post(format!("{node}/v1/pub/direct/charges"));
        send(
            request
                .bearer_auth(&charge.client_secret)
                .header("partner-id", &self.partner_id)
                .header("idempotency-key", key)
                .json(&direct_charge(charge, card)),
        )
        .await
    }

    /// The bytes of a press, in HTTP/1.1.
    pub fn press_bytes(&self, charge: &CreatedTrialCharge, key: &str, number: &str) -> Vec<u8> {
        let body = direct_charge(charge, &CardToPay::New { number, save: false }).to_string();
        format!(
            "POST /v1/pub/direct/charges HTTP/1.1\r\nhost: shop\r\nauthorization: Bearer {}\r\npartner-id: {}\r\n\
             idempotency-key: {key}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            charge.client_secret,
            self.partner_id,
            body.len()
        )
        .into_bytes()
    }

    /// Asks for the list of charges with this query.
    pub fn listed(&self, node: &str, query: &str) -> RequestBuilder {
        let request = self.http.get(format!("{node}/v1/charges?{query}"));
        request.bearer_auth(&self.secret_key)
    }

    /// The list of charges as CSV.
    pub async fn charges_csv(&self, node: &str) -> Result<String> {
        let request = self.listed(node, "").header("accept", "text/csv");
        Ok(request.send().await?.error_for_status()?.text().await?)
    }

    /// The text at this address.
    pub async fn text(&self, url: &str) -> Result<String> {
        Ok(self.http.get(url).send().await?.text().await?)
    }

    /// Every entry of the simulator's ledger.
    pub async fn ledger(&self, simulator: &str) -> Result<Vec<Value>> {
        let answer = send(self.http.get(format!("{simulator}/ledger"))).await;
        match answer.map(|answer| answer.body) {
            Some(Value::Array(entries)) => Ok(entries),
            _ => bail!("no ledger"),
        }
    }
}

/// The answer. `None` if it is lost.
pub async fn send(request: RequestBuilder) -> Option<ServiceAnswer> {
    let answer = request.send().await.ok()?;
    let status = answer.status().as_u16();
    let text = answer.text().await.ok()?;
    let body = serde_json::from_str(&text).unwrap_or_default();
    Some(ServiceAnswer { status, body })
}
