//! A service with a merchant and a provider, and the calls of a merchant's server and a shopper's page.

use std::net::SocketAddr;
use std::time::Duration;

use protocol::CreatedCharge;
use protocol::clock::Clock;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use server::config::{Config, Settings};
use server::service::Service;
use store::Partner;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::migrated_database::new_database;
use crate::provider::{LinkState, TestProvider};

pub(crate) const SECRET_KEY: &str = "sk_test0000000000000000000000000000";
pub(crate) const PARTNER_ID: &str = "partner_test";
pub(crate) const NOW: &str = "2026-07-15T12:00:00Z";

pub(crate) struct World {
    pub(crate) service: Service,
    pub(crate) provider: TestProvider,
    pub(crate) clock: Clock,
    pub(crate) dir: TempDir,
    pub(crate) http: Client,
    settings: Settings,
}

/// An answer: its status and its body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    pub(crate) fn field(&self) -> &str {
        self.body["error"]["field"].as_str().unwrap_or_default()
    }

    pub(crate) fn status_code(&self) -> &str {
        self.body["status_code"].as_str().unwrap_or_default()
    }
}

impl World {
    /// Adds another merchant. Returns its secret key.
    pub(crate) async fn another_merchant(&self) -> &'static str {
        const KEY: &str = "sk_other";
        let other = Partner {
            id: "partner_other".into(),
            name: "Other".into(),
            allowed_origins: vec![],
            site_ids: vec![],
            active: true,
            created_at: 0,
        };
        self.service.app.store.put_partner(&other, KEY).await.unwrap();
        KEY
    }

    /// With a fixed clock and the provider's usual timeout.
    pub(crate) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    /// On this database.
    pub(crate) async fn on(database: String) -> Self {
        Self::with(|settings| settings.database = Some(database)).await
    }

    /// With these settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        // It is large, and every test would have it in its own future.
        Box::pin(Self::start(change)).await
    }

    async fn start(change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(NOW.parse().unwrap());
        let provider = TestProvider::start(&clock).await;
        let mut settings = Settings {
            provider_url: Some(provider.url.clone()),
            ..Settings::default()
        };
        change(&mut settings);
        if settings.database.is_none() {
            settings.database = Some(new_database(dir.path()).await);
        }
        let service = start(settings.clone(), &clock, AtStart::Waits).await;
        let partner = Partner {
            id: PARTNER_ID.into(),
            name: "Shop".into(),
            allowed_origins: vec!["https://shop.example".into()],
            site_ids: vec!["site-1".into()],
            active: true,
            created_at: clock.now_ms(),
        };
        service.app.store.put_partner(&partner, SECRET_KEY).await.unwrap();
        Self {
            service,
            provider,
            clock,
            dir,
            http: Client::builder().no_proxy().build().unwrap(),
            settings,
        }
    }

    /// Another node on the same database.
    pub(crate) async fn another_node(&self) -> Service {
        self.another_node_with(|_| ()).await
    }

    /// Another node on the same database that reconciles when it starts, as after a restart.
    pub(crate) async fn restarted_node(&self) -> Service {
        start(self.settings.clone(), &self.clock, AtStart::Reconciles).await
    }

    /// Another node on the same database, with other settings.
    pub(crate) async fn another_node_with(&self, change: impl FnOnce(&mut Settings)) -> Service {
        let mut settings = self.settings.clone();
        change(&mut settings);
        start(settings, &self.clock, AtStart::Waits).await
    }

    /// Its database, as an argument of the command line.
    pub(crate) fn database(&self) -> &str {
        self.settings.database.as_deref().unwrap()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.service.address)
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url(path))
    }

    pub(crate) async fn create(&self, body: &Value, key: Option<&str>) -> Answer {
        let mut request = self
            .request(Method::POST, "/v1/charges")
            .bearer_auth(SECRET_KEY)
            .json(body);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        send(request).await
    }

    pub(crate) async fn charge(&self) -> CreatedCharge {
        let answer = self.create(&new_charge(), None).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        serde_json::from_value(answer.body).unwrap()
    }

    pub(crate) async fn charge_of_shopper(&self, shopper_id: &str) -> CreatedCharge {
        let mut body = new_charge();
        body["shopper_id"] = json!(shopper_id);
        serde_json::from_value(self.create(&body, None).await.body).unwrap()
    }

    /// The charge as its merchant sees it.
    pub(crate) async fn view(&self, id: &str) -> Value {
        let request = self.request(Method::GET, &format!("/v1/charges/{id}"));
        send(request.bearer_auth(SECRET_KEY)).await.body
    }

    /// The charge as the shopper's page sees it.
    pub(crate) async fn shopper_view(&self, charge: &CreatedCharge) -> Value {
        let request = self.request(Method::GET, &format!("/v1/pub/charges/{}", charge.id));
        send(request.bearer_auth(&charge.client_secret)).await.body
    }

    /// A press whose payment has arrived at the provider, which holds its answer back until `LinkState::Works`.
    pub(crate) async fn held_press(
        &self,
        charge: &CreatedCharge,
        key: &str,
        number: &str,
    ) -> JoinHandle<Answer> {
        self.provider.set(LinkState::HoldsAnswers);
        let before = self.provider.asked();
        let press = tokio::spawn(send(self.press(charge, key, &card(charge, number))));
        self.provider.arrived(before + 1).await;
        press
    }

    /// A press of the pay button on this service.
    pub(crate) fn press(&self, charge: &CreatedCharge, key: &str, body: &Value) -> RequestBuilder {
        press_at(&self.http, self.service.address, charge, key, body)
    }

    pub(crate) async fn pay(&self, charge: &CreatedCharge, key: &str, number: &str) -> Answer {
        send(self.press(charge, key, &card(charge, number))).await
    }
}

/// A press of the pay button on the service at this address.
pub(crate) fn press_at(
    http: &Client,
    address: SocketAddr,
    charge: &CreatedCharge,
    key: &str,
    body: &Value,
) -> RequestBuilder {
    http.post(format!("http://{address}/v1/pub/direct/charges"))
        .bearer_auth(&charge.client_secret)
        .header("partner-id", PARTNER_ID)
        .header("cookie-id", "cookie-1")
        .header("idempotency-key", key)
        .json(body)
}

/// Whether a service reconciles when it starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtStart {
    /// It does not, because the test runs the reconciler itself. On a busy machine the service's own round could be
    /// late and take attempts from the test's round.
    Waits,
    /// It does, as every service outside of tests.
    Reconciles,
}

async fn start(mut settings: Settings, clock: &Clock, at_start: AtStart) -> Service {
    settings.listen = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let mut config: Config = settings.resolve().unwrap();
    config.charges.reconcile_at_start = at_start == AtStart::Reconciles;
    config.charges.reconcile_interval = Duration::from_hours(1);
    config.webhook_interval = Duration::from_hours(1);
    // It would take longer than most tests.
    config.render_ahead = false;
    Service::start(config, clock.clone()).await.unwrap()
}

pub(crate) async fn send(request: RequestBuilder) -> Answer {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    let text = answer.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer { status, body }
}

/// Writes this to a plain connection, and reads the first answer.
pub(crate) async fn say(connection: &mut TcpStream, words: &str) -> String {
    connection.write_all(words.as_bytes()).await.unwrap();
    let mut said = vec![0; 4_096];
    let read = connection.read(&mut said).await.unwrap();
    String::from_utf8_lossy(&said[..read]).into_owned()
}

pub(crate) fn new_charge() -> Value {
    json!({
        "item_code": "gems-100", "item_name": "100 gems ✨",
        "amount_value": "12.50", "amount_currency": "USD", "partner_reference": "order-1",
    })
}

/// The direct charge of a new card, as the page builds it for a guest.
pub(crate) fn card(charge: &CreatedCharge, number: &str) -> Value {
    json!({
        "charge_id": charge.id, "item_code": "gems-100", "item_name": "100 gems ✨",
        "amount_value": "12.50", "amount_currency": "USD", "partner_reference": "order-1",
        "shopper_agent": {
            "ip_address": "203.0.113.7", "user_agent": "test", "timezone": -480, "screen_height": 800,
            "screen_width": 400, "color_depth": 24, "accept_header": "text/html",
            "fraud_metadata": {"fraud_token": ""}, "device_metadata": {"session_id": null},
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
                "expiration_year": "2030", "security_code": if number.len() == 15 { "1234" } else { "123" },
            },
            "shopper": {"partner_shopper_id": "", "zip_code": "", "email": "sam@example.com"},
        },
        "partner_custom_data": {
            "merchant_id": null, "merchant_name": null, "merchant_email": null,
            "merchant_user_id": null, "mno_id": null,
        },
    })
}
