//! A simulated shopper's visit: the merchant creates a charge, the page is fetched, fields are filled in, cards are
//! tried, and the visit's events are posted.

use std::time::Duration;

use protocol::clock::Clock;
use protocol::{CreatedCharge, EVENTS_CONTENT_TYPE, SavedCardList, VisitStep};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::Traffic;
use super::cards::TrafficCard;
use super::events::{EXPERIMENT, PendingEvents};
use super::visit_plan::{FIELDS, GivesUp, VisitPlan};
use crate::shop::demo_mode::DEMO_PARTNER_ID;

/// How long the service may take for a call.
const TIMEOUT: Duration = Duration::from_secs(35);
/// How long people look at the page before they begin, and how long they take for a field, in milliseconds.
const LOOKS_MS: u64 = 2_500;
const FIELD_MS: u64 = 3_500;

/// What all shoppers share: the connection to the service.
pub(super) struct Shoppers {
    http: Client,
    origin: String,
    secret_key: String,
    topic: String,
    pace_factor: f64,
    clock: Clock,
}

/// A visit under way.
struct TrafficVisit<'a> {
    shoppers: &'a Shoppers,
    plan: &'a VisitPlan,
    charge: CreatedCharge,
    events: PendingEvents,
    step: VisitStep,
    stop: watch::Receiver<bool>,
}

/// The result of trying a card.
enum PayResult {
    Paid,
    Declined(String),
    /// The bank asks for a challenge, which the simulated shopper does not do.
    Challenged,
}

impl Shoppers {
    pub(super) fn new(traffic: &Traffic) -> Result<Self, reqwest::Error> {
        Ok(Self {
            http: Client::builder().no_proxy().timeout(TIMEOUT).build()?,
            origin: traffic.origin.clone(),
            secret_key: traffic.secret_key.clone(),
            topic: traffic.topic.clone(),
            pace_factor: traffic.pace_factor,
            clock: Clock::system(),
        })
    }

    /// How far the visit came; `None` if the service did not answer as it should.
    pub(super) async fn visit(&self, plan: VisitPlan, stop: watch::Receiver<bool>) -> Option<VisitStep> {
        let reached = self.run_visit(&plan, stop).await;
        if let Err(cause) = &reached {
            tracing::debug!(status = ?cause.status(), "a simulated shopper was disturbed");
        }
        reached.ok()
    }

    async fn run_visit(
        &self,
        plan: &VisitPlan,
        stop: watch::Receiver<bool>,
    ) -> Result<VisitStep, reqwest::Error> {
        let charge = self.order(plan).await?;
        self.open_page(plan, &charge).await?;
        let mut visit = TrafficVisit {
            shoppers: self,
            plan,
            charge,
            events: PendingEvents::new(plan, &self.origin, self.now()),
            step: VisitStep::Viewed,
            stop,
        };
        visit.post().await?;
        visit.pause(LOOKS_MS).await;
        visit.add_event("form_ready", &[]);
        if plan.gives_up != GivesUp::AfterLook {
            visit.fill_and_pay().await?;
        }
        visit.leave().await?;
        Ok(visit.step)
    }

    /// The merchant's server creates the charge.
    async fn order(&self, plan: &VisitPlan) -> Result<CreatedCharge, reqwest::Error> {
        let [item_code, item_name, amount_value, amount_currency] = plan.item;
        let is_known = plan.account.is_some();
        let body = json!({
            "item_code": item_code, "item_name": item_name, "amount_value": amount_value,
            "amount_currency": amount_currency, "partner_reference": "simulated", "shopper_id": plan.shopper_id(),
            "payment_method_country_code": plan.country.code, "enable_save_payment_method": is_known,
            "display_saved_payment_method_list": is_known, "eligible_save_payment_methods": is_known,
        });
        let request = self
            .http
            .post(format!("{}/v1/charges", self.origin))
            .bearer_auth(&self.secret_key)
            .json(&body);
        request.send().await?.error_for_status()?.json().await
    }

    /// The browser fetches the page in the shopper's language and with the shopper's variation.
    async fn open_page(&self, plan: &VisitPlan, charge: &CreatedCharge) -> Result<(), reqwest::Error> {
        let options = json!({ "features": { EXPERIMENT: plan.variation == 1 } }).to_string();
        let query = [("payload", charge.payload.as_str()), ("options", &options)];
        let query = serde_urlencoded::to_string(query).unwrap_or_default();
        let url = format!("{}/{}?{query}", self.origin, plan.country.locale);
        let request = self.http.get(url);
        request.send().await?.error_for_status()?.bytes().await?;
        Ok(())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.now_ms()).unwrap_or_default()
    }
}

impl TrafficVisit<'_> {
    async fn fill_and_pay(&mut self) -> Result<(), reqwest::Error> {
        self.step = VisitStep::Started;
        if self.plan.gives_up == GivesUp::Never
            && let Some(saved) = self.saved_card().await?
        {
            return self.pay_with_saved(&saved).await;
        }
        for (place, field) in FIELDS.iter().enumerate() {
            self.add_event("field_focus", &[("field", field.id)]);
            self.add_event("field_input", &[("field", field.id)]);
            self.pause(FIELD_MS).await;
            if self.plan.mistake_in == Some(place) {
                self.add_event(
                    "field_error",
                    &[("field", field.id), ("error_id", field.error_id)],
                );
                self.pause(FIELD_MS).await;
            }
            if self.plan.gives_up == GivesUp::InField(place) {
                return Ok(());
            }
            if place == 0
                && let Some(card) = self.plan.cards.first()
            {
                self.add_event("brand_detected", &[("brand", card.brand)]);
            }
            self.add_event("field_blur", &[("field", field.id)]);
        }
        self.step = VisitStep::Ready;
        if self.plan.gives_up == GivesUp::Never {
            self.pay_with_new().await?;
        }
        Ok(())
    }

    async fn pay_with_new(&mut self) -> Result<(), reqwest::Error> {
        for (place, card) in self.plan.cards.iter().enumerate() {
            if place > 0 {
                self.pause(FIELD_MS).await;
                self.add_event("brand_detected", &[("brand", card.brand)]);
            }
            let method = self.new_card(card);
            if self.submit("new_card", method).await? {
                break;
            }
        }
        Ok(())
    }

    async fn pay_with_saved(&mut self, payment_method_id: &str) -> Result<(), reqwest::Error> {
        let field = "saved-card-security-code";
        self.add_event("field_focus", &[("field", field)]);
        self.add_event("field_input", &[("field", field)]);
        self.pause(FIELD_MS).await;
        let method = json!({
            "id": payment_method_id, "type": "card", "shopper_id": self.plan.shopper_id(),
            "card": {"security_code": "123"},
        });
        self.submit("saved_card", method).await.map(|_| ())
    }

    /// Presses the pay button. Returns whether the shopper tries no other card.
    async fn submit(&mut self, way: &str, method: Value) -> Result<bool, reqwest::Error> {
        self.step = self.step.max(VisitStep::Submitted);
        self.add_event("submit_invoked", &[("method", way)]);
        self.post().await?;
        match self.press(method).await? {
            PayResult::Paid => {
                self.step = VisitStep::Paid;
                self.add_event("submit_success", &[]);
                Ok(true)
            }
            PayResult::Declined(code) => {
                self.add_event("submit_fail", &[("status", "failed"), ("decline_code", &code)]);
                Ok(false)
            }
            PayResult::Challenged => {
                self.add_event("challenge_shown", &[]);
                Ok(true)
            }
        }
    }

    /// The page sends the direct charge.
    async fn press(&self, payment_method: Value) -> Result<PayResult, reqwest::Error> {
        let [item_code, item_name, amount_value, amount_currency] = self.plan.item;
        let (width, height) = if self.plan.is_on_phone {
            (390, 844)
        } else {
            (1920, 1080)
        };
        let mut body = json!({
            "charge_id": self.charge.id, "item_code": item_code, "item_name": item_name,
            "amount_value": amount_value, "amount_currency": amount_currency, "partner_reference": "simulated",
            "shopper_agent": {
                "ip_address": "", "user_agent": "Cardform demo", "timezone": 0, "screen_height": height,
                "screen_width": width, "color_depth": 24, "accept_header": "text/html",
                "fraud_metadata": {"fraud_token": ""},
            },
            "setting": {
                "default_language": "en",
                "card": {"capture_grace_period": 0, "three_ds_challenge_window_size": "390x400"},
            },
            "tax": {"tax_code": "CD010001"},
            "partner_custom_data": {
                "merchant_id": null, "merchant_name": null, "merchant_email": null, "merchant_user_id": null,
                "mno_id": null,
            },
        });
        if payment_method.get("id").is_some() {
            body["user_initiated"] = json!(true);
        } else {
            body["shopper_agent"]["device_metadata"] = json!({ "session_id": null });
        }
        body["payment_method"] = payment_method;
        let response = self
            .bearer(Method::POST, "/v1/pub/direct/charges")
            .header("idempotency-key", uuid::Uuid::new_v4().to_string())
            .json(&body)
            .send()
            .await?;
        pay_result(response).await
    }

    fn new_card(&self, card: &TrafficCard) -> Value {
        let shopper = match self.plan.shopper_id() {
            Some(id) => json!({ "id": id }),
            None => json!({"partner_shopper_id": "", "zip_code": "", "email": "shopper@example.com"}),
        };
        json!({
            "type": "card", "save_payment_method": self.plan.account.is_some(), "shopper": shopper,
            "card": {
                "country_code": self.plan.country.code, "number": card.number, "holder_name": "",
                "expiration_month": "12", "expiration_year": "2040",
                "security_code": if card.brand == "american-express" { "1234" } else { "123" },
            },
        })
    }

    /// The first of the shopper's saved cards whose security code has three digits.
    async fn saved_card(&mut self) -> Result<Option<String>, reqwest::Error> {
        let Some(shopper) = self.plan.shopper_id() else {
            return Ok(None);
        };
        let path = format!("/v1/pub/shoppers/{shopper}/payment-methods?page_size=5&page_number=1");
        let response = self.bearer(Method::GET, &path).send().await?;
        let list: SavedCardList = response.error_for_status()?.json().await?;
        self.add_event("saved_cards_loaded", &[]);
        let card = list
            .items
            .into_iter()
            .find(|item| item.card.brand != Some(rules::Brand::AmericanExpress));
        Ok(card.map(|item| item.card.payment_method_id))
    }

    fn bearer(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.shoppers
            .http
            .request(method, format!("{}{path}", self.shoppers.origin))
            .bearer_auth(&self.charge.client_secret)
            .header("partner-id", DEMO_PARTNER_ID)
            .header("cookie-id", "simulated")
    }

    async fn leave(&mut self) -> Result<(), reqwest::Error> {
        let field = match self.plan.gives_up {
            GivesUp::AfterLook => "",
            GivesUp::InField(place) => FIELDS[place].id,
            GivesUp::WhenReady | GivesUp::Never => FIELDS[FIELDS.len() - 1].id,
        };
        let is_ready = self.plan.gives_up == GivesUp::WhenReady;
        self.events.left(self.shoppers.now(), field, is_ready);
        self.post().await
    }

    fn add_event(&mut self, name: &str, words: &[(&str, &str)]) {
        self.events.custom(self.shoppers.now(), name, words);
    }

    /// Posts the events that were not sent yet.
    async fn post(&mut self) -> Result<(), reqwest::Error> {
        let Some(batch) = self.events.batch() else {
            return Ok(());
        };
        let body = serde_json::to_string(&batch).unwrap_or_default();
        let request = self
            .shoppers
            .http
            .post(format!("{}/topics/{}", self.shoppers.origin, self.shoppers.topic))
            .header("content-type", EVENTS_CONTENT_TYPE)
            .body(body);
        request.send().await?.error_for_status()?;
        Ok(())
    }

    /// Waits as long as people do, or until the demo stops.
    async fn pause(&mut self, ms: u64) {
        let ms = Duration::from_millis(ms * self.plan.pace_percent / 100).mul_f64(self.shoppers.pace_factor);
        tokio::select! {
            _ = self.stop.wait_for(|stop| *stop) => {}
            () = tokio::time::sleep(ms) => {}
        }
    }
}

async fn pay_result(response: Response) -> Result<PayResult, reqwest::Error> {
    if response.status() == StatusCode::PAYMENT_REQUIRED {
        let body: Value = response.json().await?;
        let code = body["decline_code"].as_str().unwrap_or_default();
        return Ok(PayResult::Declined(code.to_owned()));
    }
    let body: Value = response.error_for_status()?.json().await?;
    Ok(match body["status_code"].as_str() {
        Some("waiting_for_shopper_action") => PayResult::Challenged,
        _ => PayResult::Paid,
    })
}

impl VisitPlan {
    /// The shopper's id in the shop, if the shopper has an account.
    fn shopper_id(&self) -> Option<String> {
        self.account.map(|number| format!("simulated-{number}"))
    }
}
