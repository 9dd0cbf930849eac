//! A simulated shopper's visit: the merchant creates a charge, the page is fetched, fields are filled in, cards are
//! tried, and the visit's events are posted.

use std::time::Duration;

use protocol::clock::Clock;
use protocol::{CreatedCharge, EVENTS_CONTENT_TYPE, SavedCardList, VisitStep};
use reqwest::{Client, Method, StatusCode};
use rules::Brand;
use serde_json::{Value, json};
use tokio::sync::watch;
use uuid::Uuid;

use super::Traffic;
use super::visit_plan::{FIELDS, GivesUp, VisitPlan};
use crate::shop::demo_mode::DEMO_PARTNER_ID;

/// How long the service may take for a call.
const TIMEOUT: Duration = Duration::from_secs(35);
/// How long people look at the page before they begin, and how long they take for a field, in milliseconds.
const LOOKS_MS: u64 = 2_500;
const FIELD_MS: u64 = 3_500;
/// The experiment that simulated shoppers are in.
const EXPERIMENT: &str = "pop-646-card-form-ui-redesign";

/// What all shoppers share: the connection to the service.
pub(super) struct Shoppers {
    http: Client,
    traffic: Traffic,
    clock: Clock,
}

/// A visit under way.
struct TrafficVisit<'a> {
    shoppers: &'a Shoppers,
    plan: &'a VisitPlan,
    charge: CreatedCharge,
    id: String,
    /// The events that were not sent yet.
    records: Vec<Value>,
    step: VisitStep,
    stop: watch::Receiver<bool>,
}

impl Shoppers {
    pub(super) fn new(traffic: Traffic) -> Result<Self, reqwest::Error> {
        Ok(Self {
            http: Client::builder().no_proxy().timeout(TIMEOUT).build()?,
            traffic,
            clock: Clock::system(),
        })
    }

    /// How far the visit came; `None` if the service did not answer as it should.
    pub(super) async fn visit(&self, plan: VisitPlan, stop: watch::Receiver<bool>) -> Option<VisitStep> {
        let reached = self.run_visit(&plan, stop).await;
        if let Err(cause) = &reached {
            tracing::debug!(status = ?cause.status(), "the visit of a simulated shopper failed");
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
            id: Uuid::new_v4().to_string(),
            records: Vec::new(),
            step: VisitStep::Viewed,
            stop,
        };
        let view = json!({ "locale": plan.country.locale });
        visit.add_event("page-view", "pageView", view);
        let seen = json!({
            "experimentId": EXPERIMENT, "variationId": plan.variation,
            "variationKey": plan.variation.to_string(),
        });
        visit.add_event("experiment-viewed", "ExperimentViewed", seen);
        visit.post_events().await?;
        visit.pause(LOOKS_MS).await;
        visit.add_custom_event("form_ready", json!({}));
        if plan.gives_up != GivesUp::AfterLook {
            visit.fill_and_pay().await?;
        }
        visit.leave().await?;
        Ok(visit.step)
    }

    /// The merchant's server creates the charge.
    async fn order(&self, plan: &VisitPlan) -> Result<CreatedCharge, reqwest::Error> {
        let [item_code, item_name, amount_value, amount_currency] = plan.item;
        let is_known = plan.shopper_id.is_some();
        let body = json!({
            "item_code": item_code, "item_name": item_name, "amount_value": amount_value,
            "amount_currency": amount_currency, "partner_reference": "simulated", "shopper_id": plan.shopper_id,
            "payment_method_country_code": plan.country.code, "enable_save_payment_method": is_known,
            "display_saved_payment_method_list": is_known, "eligible_save_payment_methods": is_known,
        });
        let request = self
            .http
            .post(format!("{}/v1/charges", self.traffic.origin))
            .bearer_auth(&self.traffic.secret_key)
            .json(&body);
        request.send().await?.error_for_status()?.json().await
    }

    /// The browser fetches the page in the shopper's language and with the shopper's variation.
    async fn open_page(&self, plan: &VisitPlan, charge: &CreatedCharge) -> Result<(), reqwest::Error> {
        let options = json!({ "features": { EXPERIMENT: plan.variation == 1 } }).to_string();
        let query = [("payload", charge.payload.as_str()), ("options", &options)];
        let query = serde_urlencoded::to_string(query).unwrap_or_default();
        let url = format!("{}/{}?{query}", self.traffic.origin, plan.country.locale);
        let request = self.http.get(url);
        request.send().await?.error_for_status()?.bytes().await?;
        Ok(())
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
            self.type_into(field.id).await;
            if self.plan.mistake_in == Some(place) {
                self.add_custom_event(
                    "field_error",
                    json!({ "field": field.id, "error_id": field.error_id }),
                );
                self.pause(FIELD_MS).await;
            }
            if self.plan.gives_up == GivesUp::InField(place) {
                return Ok(());
            }
            if place == 0
                && let Some(number) = self.plan.cards.first()
            {
                self.detect_brand(number);
            }
            self.add_custom_event("field_blur", json!({ "field": field.id }));
        }
        self.step = VisitStep::Ready;
        if self.plan.gives_up == GivesUp::Never {
            self.pay_with_new().await?;
        }
        Ok(())
    }

    async fn pay_with_new(&mut self) -> Result<(), reqwest::Error> {
        for (place, number) in self.plan.cards.iter().enumerate() {
            if place > 0 {
                self.pause(FIELD_MS).await;
                self.detect_brand(number);
            }
            let method = self.new_card(number);
            if self.submit("new_card", method).await? {
                break;
            }
        }
        Ok(())
    }

    async fn pay_with_saved(&mut self, payment_method_id: &str) -> Result<(), reqwest::Error> {
        self.type_into("saved-card-security-code").await;
        let method = json!({
            "id": payment_method_id, "type": "card", "shopper_id": self.plan.shopper_id,
            "card": {"security_code": "123"},
        });
        self.submit("saved_card", method).await?;
        Ok(())
    }

    async fn type_into(&mut self, field: &str) {
        self.add_custom_event("field_focus", json!({ "field": field }));
        self.add_custom_event("field_input", json!({ "field": field }));
        self.pause(FIELD_MS).await;
    }

    fn detect_brand(&mut self, number: &str) {
        let brand = Brand::detect(number).map(Brand::name);
        self.add_custom_event("brand_detected", json!({ "brand": brand }));
    }

    /// Presses the pay button. Returns whether the shopper tries no other card, because the charge is paid or the bank
    /// asks for a challenge.
    async fn submit(&mut self, way: &str, method: Value) -> Result<bool, reqwest::Error> {
        self.step = self.step.max(VisitStep::Submitted);
        self.add_custom_event("submit_invoked", json!({ "method": way }));
        self.post_events().await?;
        let request = self
            .request(Method::POST, "/v1/pub/direct/charges")
            .header("idempotency-key", Uuid::new_v4().to_string())
            .json(&self.direct_charge(method));
        let response = request.send().await?;
        if response.status() == StatusCode::PAYMENT_REQUIRED {
            let body: Value = response.json().await?;
            let data = json!({ "status": "failed", "decline_code": body["decline_code"] });
            self.add_custom_event("submit_fail", data);
            return Ok(false);
        }
        let body: Value = response.error_for_status()?.json().await?;
        if body["status_code"] == "waiting_for_shopper_action" {
            self.add_custom_event("challenge_shown", json!({}));
        } else {
            self.step = VisitStep::Paid;
            self.add_custom_event("submit_success", json!({}));
        }
        Ok(true)
    }

    /// The body that the page sends.
    fn direct_charge(&self, payment_method: Value) -> Value {
        let [item_code, item_name, amount_value, amount_currency] = self.plan.item;
        let is_saved = payment_method.get("id").is_some();
        let mut body = json!({
            "charge_id": self.charge.id, "item_code": item_code, "item_name": item_name,
            "amount_value": amount_value, "amount_currency": amount_currency, "partner_reference": "simulated",
            "shopper_agent": {
                "ip_address": "", "user_agent": "Cardform demo", "timezone": 0, "screen_height": 844,
                "screen_width": 390, "color_depth": 24, "accept_header": "text/html",
                "fraud_metadata": {"fraud_token": ""},
                "device_metadata": if is_saved { Value::Null } else { json!({ "session_id": null }) },
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
            "user_initiated": is_saved.then_some(true),
        });
        body["payment_method"] = payment_method;
        body
    }

    fn new_card(&self, number: &str) -> Value {
        let shopper = match &self.plan.shopper_id {
            Some(id) => json!({ "id": id }),
            None => json!({"partner_shopper_id": "", "zip_code": "", "email": "shopper@example.com"}),
        };
        let is_amex = Brand::detect(number) == Some(Brand::AmericanExpress);
        json!({
            "type": "card", "save_payment_method": self.plan.shopper_id.is_some(), "shopper": shopper,
            "card": {
                "country_code": self.plan.country.code, "number": number, "holder_name": "",
                "expiration_month": "12", "expiration_year": "2040",
                "security_code": if is_amex { "1234" } else { "123" },
            },
        })
    }

    /// The first of the shopper's saved cards whose security code has three digits.
    async fn saved_card(&mut self) -> Result<Option<String>, reqwest::Error> {
        let Some(shopper) = &self.plan.shopper_id else {
            return Ok(None);
        };
        let path = format!("/v1/pub/shoppers/{shopper}/payment-methods?page_size=5&page_number=1");
        let response = self.request(Method::GET, &path).send().await?;
        let list: SavedCardList = response.error_for_status()?.json().await?;
        self.add_custom_event("saved_cards_loaded", json!({}));
        let card = list
            .items
            .into_iter()
            .find(|item| item.card.brand != Some(Brand::AmericanExpress));
        Ok(card.map(|item| item.card.payment_method_id))
    }

    /// A request of the shopper's page.
    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.shoppers
            .http
            .request(method, format!("{}{path}", self.shoppers.traffic.origin))
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
        self.add_custom_event("page_left", json!({ "field": field, "ready": is_ready }));
        self.post_events().await
    }

    /// Adds one of the form's own events.
    fn add_custom_event(&mut self, name: &str, data: Value) {
        let mut event = json!({});
        event["data"] = data;
        self.add_event("custom", name, event);
    }

    /// Adds an event with the fields that the report reads.
    fn add_event(&mut self, r#type: &str, name: &str, mut event: Value) {
        event["type"] = json!(r#type);
        event["name"] = json!(name);
        event["id"] = json!(Uuid::new_v4().to_string());
        event["visit"] = json!(self.id);
        event["at"] = json!(self.shoppers.clock.now_ms());
        self.records.push(json!({ "key": self.id, "value": event }));
    }

    /// Posts the events that were not sent yet, as the page does.
    async fn post_events(&mut self) -> Result<(), reqwest::Error> {
        let records = std::mem::take(&mut self.records);
        let Traffic { origin, topic, .. } = &self.shoppers.traffic;
        let request = self
            .shoppers
            .http
            .post(format!("{origin}/topics/{topic}"))
            .header("content-type", EVENTS_CONTENT_TYPE)
            .body(json!({ "records": records }).to_string());
        request.send().await?.error_for_status()?;
        Ok(())
    }

    /// Waits as long as people do, or until the demo stops.
    async fn pause(&mut self, ms: u64) {
        let pause = Duration::from_millis(ms * self.plan.pace_percent / 100);
        tokio::select! {
            _ = self.stop.wait_for(|stop| *stop) => {}
            () = tokio::time::sleep(pause.mul_f64(self.shoppers.traffic.pace_factor)) => {}
        }
    }
}
