//! 3-D Secure: the charge waits for its shopper, and after every end of a challenge it is paid or payable.

use payments::charges::reconciler::{Round, reconcile};
use protocol::CreatedCharge;
use providers::simulator::payment::PaymentOutcome;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::provider::LinkState;
use crate::world::{Answer, World, card, new_charge, send};

pub(crate) const CHALLENGE: &str = "4000000000003220";
pub(crate) const CHALLENGE_THEN_DECLINED: &str = "4000008400001629";
const FRICTIONLESS: &str = "4000000000003055";
const CHALLENGE_TIMEOUT_MS: i64 = 60_000;
/// How often the provider is asked whether the shopper is done.
const POLL_INTERVAL_MS: i64 = 10_000;

/// A charge that waits for its shopper, and the challenge's address.
pub(crate) async fn challenged(world: &World, number: &str) -> (CreatedCharge, String) {
    let charge = world.charge().await;
    let answer = world.pay(&charge, "press-1", number).await;
    assert_eq!(
        (answer.status, answer.status_code()),
        (201, "waiting_for_shopper_action"),
        "{answer:?}"
    );
    let url = answer.body["shopper_action"]["url"].as_str().unwrap().to_owned();
    (charge, url)
}

async fn world() -> World {
    World::with(|settings| settings.challenge_timeout_ms = Some(CHALLENGE_TIMEOUT_MS.unsigned_abs())).await
}

/// The shopper answers the challenge. Returns where the browser is redirected to.
pub(crate) async fn answer_challenge(url: &str, answer: &str) -> String {
    let browser = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .build()
        .unwrap();
    let led = browser
        .post(url)
        .body(format!("answer={answer}"))
        .send()
        .await
        .unwrap();
    assert_eq!(led.status(), 303);
    led.headers()["location"].to_str().unwrap().to_owned()
}

pub(crate) async fn cancel(world: &World, charge: &CreatedCharge) -> Answer {
    let path = format!("/v1/pub/charges/{}/cancel-shopper-action", charge.id);
    send(
        world
            .request(Method::POST, &path)
            .bearer_auth(&charge.client_secret),
    )
    .await
}

#[tokio::test]
async fn a_challenge_has_an_address_and_size_also_after_a_reload() {
    let world = world().await;
    let charge = world.charge().await;
    let mut body = card(&charge, CHALLENGE);
    body["setting"]["card"]["three_ds_challenge_window_size"] = json!("500x600");
    let answer = send(world.press(&charge, "press-1", &body)).await;
    let action = &answer.body["shopper_action"];
    assert_eq!(
        (&action["type"], &action["width"], &action["height"]),
        (&json!("challenge"), &json!(500), &json!(600))
    );
    let url = action["url"].as_str().unwrap();
    assert!(
        url.starts_with(&format!("{}/challenge/", world.provider.url)),
        "{url}"
    );
    let seen = world.shopper_view(&charge).await;
    assert_eq!(seen["status"], "waiting_for_shopper_action");
    assert_eq!(&seen["shopper_action"], action);
    assert_eq!(
        world.view(&charge.id).await["status"],
        "waiting_for_shopper_action"
    );
}

/// Opens the page to which the bank led, in another browser with this language.
async fn returned(world: &World, charge: &CreatedCharge, query: &str, language: &str) -> String {
    let path = format!("/v1/pub/charges/{}/return{query}", charge.id);
    let request = world
        .request(Method::GET, &path)
        .header("accept-language", language);
    request.send().await.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn another_browser_shows_how_the_challenge_ended() {
    let world = world().await;
    let waiting = "data-status=\"waiting_for_shopper_action\"";
    for (number, status, title, back) in [
        (
            CHALLENGE,
            "succeeded",
            "Paiement effectué",
            "https://shop.example/thanks?a=1&amp;charge_id={id}&amp;status=succeeded&amp;locale=fr-FR",
        ),
        (
            CHALLENGE_THEN_DECLINED,
            "failed",
            "votre carte n’a pas été débitée",
            "https://shop.example/cart",
        ),
    ] {
        let mut body = new_charge();
        body["return_url"] = json!("https://shop.example/thanks?a=1");
        body["cancel_url"] = json!("https://shop.example/cart");
        let created = world.create(&body, None).await;
        let charge: CreatedCharge = serde_json::from_value(created.body).unwrap();
        let paid = world.pay(&charge, "press-1", number).await;
        let url = paid.body["shopper_action"]["url"].as_str().unwrap();
        let page = returned(&world, &charge, "?locale=fr", "de").await;
        assert!(
            page.contains(waiting) && page.contains("http-equiv=\"refresh\""),
            "{page}"
        );
        assert!(!page.contains("shop.example"), "{page}");
        answer_challenge(url, "approve").await;
        // The next look at the provider is allowed a moment later.
        world.clock.advance_ms(POLL_INTERVAL_MS);
        let page = returned(&world, &charge, "?locale=fr", "de").await;
        assert!(page.contains(&format!("data-status=\"{status}\"")), "{page}");
        assert!(page.contains("lang=\"fr-FR\"") && page.contains(title), "{page}");
        assert!(page.contains(&back.replace("{id}", &charge.id)), "{page}");
        assert!(!page.contains("refresh") && !page.contains(&charge.client_secret));
        let themed = "?locale=zh&customStyle=%7B%22backgroundColor%22%3A%22%23123456%22%7D";
        let page = returned(&world, &charge, themed, "zh-TW,en").await;
        assert!(
            page.contains("lang=\"zh-TW\"") && page.contains("#123456"),
            "{page}"
        );
        let page = returned(&world, &charge, "?locale=zh", "en").await;
        assert!(page.contains("lang=\"zh-TW\""), "{page}");
    }
}

/// Any client that knows a charge's id can call its return address.
#[tokio::test]
async fn repeated_returns_ask_the_provider_once() {
    let world = world().await;
    let (charge, _) = challenged(&world, CHALLENGE).await;
    let before = world.provider.lookups();
    for _ in 0..20 {
        let back = world.request(Method::GET, &format!("/v1/pub/charges/{}/return", charge.id));
        assert_eq!(back.send().await.unwrap().status(), 200);
    }
    assert_eq!(world.provider.lookups() - before, 1);
}

#[tokio::test]
async fn a_payment_is_approved_only_after_its_challenge() {
    let world = world().await;
    let (charge, url) = challenged(&world, CHALLENGE).await;
    assert_eq!(world.provider.outcomes(), []);
    let back = answer_challenge(&url, "approve").await;
    let address = format!("/v1/pub/charges/{}/return?locale=en", charge.id);
    assert_eq!(back, world.url(&address));
    assert_eq!(world.provider.outcomes(), [PaymentOutcome::Approved]);
    for method in [Method::GET, Method::POST] {
        let answer = world.http.request(method, &back).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let policy = answer.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(
            policy.contains("default-src 'none'; script-src 'self'"),
            "{policy}"
        );
        assert!(
            policy.contains("frame-ancestors 'self' https://shop.example;"),
            "{policy}"
        );
        let page = answer.text().await.unwrap();
        assert!(!page.contains(&charge.client_secret) && !page.contains(&charge.id));
    }
    let seen = world.shopper_view(&charge).await;
    assert_eq!(
        (&seen["status"], &seen["shopper_action"]),
        (&json!("succeeded"), &Value::Null)
    );
    // The first press has its answer now, and no other press pays again.
    for key in ["press-1", "press-2"] {
        let answer = world.pay(&charge, key, "4242424242424242").await;
        assert_eq!(answer.status_code(), "succeeded");
    }
    assert_eq!(world.provider.outcomes(), [PaymentOutcome::Approved]);
}

#[tokio::test]
async fn a_rejected_challenge_and_a_decline_after_one_leave_the_charge_payable() {
    for (number, answer, code) in [
        (CHALLENGE, "reject", "authentication_failed"),
        (CHALLENGE_THEN_DECLINED, "approve", "generic_decline"),
    ] {
        let world = world().await;
        let (charge, url) = challenged(&world, number).await;
        let back = answer_challenge(&url, answer).await;
        world.http.get(back).send().await.unwrap();
        let seen = world.shopper_view(&charge).await;
        assert_eq!(
            (&seen["status"], &seen["decline_code"]),
            (&json!("failed"), &json!(code))
        );
        let again = world.pay(&charge, "press-1", number).await;
        assert_eq!((again.status, &again.body["decline_code"]), (402, &json!(code)));
        assert_eq!(
            world
                .pay(&charge, "press-2", "4242424242424242")
                .await
                .status_code(),
            "succeeded"
        );
        assert_eq!(world.provider.approvals(), 1);
    }
}

#[tokio::test]
async fn a_frictionless_card_pays_at_once() {
    let world = world().await;
    let charge = world.charge().await;
    let answer = world.pay(&charge, "press-1", FRICTIONLESS).await;
    assert_eq!(
        answer.body,
        json!({"status_code": "succeeded", "shopper_action": null})
    );
    assert_eq!(world.provider.approvals(), 1);
}

#[tokio::test]
async fn every_press_during_a_challenge_gets_the_same_challenge() {
    let world = world().await;
    let (charge, url) = challenged(&world, CHALLENGE).await;
    for (key, number) in [("press-1", CHALLENGE), ("press-2", "4242424242424242")] {
        let answer = world.pay(&charge, key, number).await;
        assert_eq!(
            (answer.status_code(), &answer.body["shopper_action"]["url"]),
            ("waiting_for_shopper_action", &json!(url))
        );
    }
    assert_eq!((world.provider.asked(), world.provider.approvals()), (1, 0));
}

#[tokio::test]
async fn a_canceled_challenge_makes_the_charge_payable_again() {
    let world = world().await;
    let (charge, url) = challenged(&world, CHALLENGE).await;
    for _ in 0..2 {
        let canceled = cancel(&world, &charge).await;
        assert_eq!(canceled.status, 200);
        assert_eq!(
            (&canceled.body["status"], &canceled.body["decline_code"]),
            (&json!("failed"), &json!("authentication_canceled"))
        );
    }
    answer_challenge(&url, "approve").await;
    assert_eq!(world.provider.outcomes(), [PaymentOutcome::Declined]);
    let paid = world.pay(&charge, "press-2", "5555555555554444").await;
    assert_eq!(paid.status_code(), "succeeded");
    assert_eq!(world.provider.approvals(), 1);
}

#[tokio::test]
async fn a_client_secret_that_expires_during_the_challenge_cancels_it() {
    let world = world().await;
    let charge = world.charge().await;
    world.clock.advance_ms(3_500_000);
    let waiting = world.pay(&charge, "press-1", CHALLENGE).await;
    assert_eq!(waiting.status_code(), "waiting_for_shopper_action");
    world.clock.advance_ms(200_000);
    let canceled = cancel(&world, &charge).await;
    assert_eq!(
        canceled.body["decline_code"], "authentication_canceled",
        "{canceled:?}"
    );
}

#[tokio::test]
async fn a_cancellation_that_comes_after_the_approval_finds_the_charge_paid() {
    let world = world().await;
    let (charge, url) = challenged(&world, CHALLENGE).await;
    answer_challenge(&url, "approve").await;
    assert_eq!(cancel(&world, &charge).await.body["status"], "succeeded");
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
}

#[tokio::test]
async fn a_cancellation_that_the_provider_missed_is_not_confirmed() {
    let world = world().await;
    let (charge, url) = challenged(&world, CHALLENGE).await;
    world.provider.set(LinkState::Down);
    let answer = cancel(&world, &charge).await;
    assert_eq!((answer.status, answer.code()), (503, "unavailable"));
    assert_eq!(
        world.shopper_view(&charge).await["status"],
        "waiting_for_shopper_action"
    );
    world.provider.set(LinkState::Works);
    answer_challenge(&url, "approve").await;
    assert_eq!(cancel(&world, &charge).await.body["status"], "succeeded");
}

#[tokio::test]
async fn only_the_charges_own_client_secret_cancels() {
    let world = world().await;
    let (charge, _) = challenged(&world, CHALLENGE).await;
    let other = world.charge().await;
    let path = format!("/v1/pub/charges/{}/cancel-shopper-action", charge.id);
    let foreign = world
        .request(Method::POST, &path)
        .bearer_auth(&other.client_secret);
    let foreign = send(foreign).await;
    assert_eq!((foreign.status, foreign.code()), (403, "charge_mismatch"));
    let anonymous = send(world.request(Method::POST, &path)).await;
    assert_eq!(
        (anonymous.status, anonymous.code()),
        (401, "client_secret_missing")
    );
    assert_eq!(
        world.shopper_view(&charge).await["status"],
        "waiting_for_shopper_action"
    );
}

#[tokio::test]
async fn an_unfinished_challenge_times_out_and_the_charge_is_payable() {
    let world = world().await;
    let (charge, url) = challenged(&world, CHALLENGE).await;
    let open = Round { resolved: 0, open: 1 };
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round::default()
    );
    world.clock.advance_ms(POLL_INTERVAL_MS);
    assert_eq!(reconcile(&world.service.app.charges).await.unwrap(), open);
    world
        .clock
        .advance_ms(CHALLENGE_TIMEOUT_MS - POLL_INTERVAL_MS - 1);
    assert_eq!(reconcile(&world.service.app.charges).await.unwrap(), open);
    assert_eq!(
        world.shopper_view(&charge).await["status"],
        "waiting_for_shopper_action"
    );
    world.clock.advance_ms(1);
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round { resolved: 1, open: 0 }
    );
    let seen = world.shopper_view(&charge).await;
    assert_eq!(
        (&seen["status"], &seen["decline_code"]),
        (&json!("failed"), &json!("authentication_timed_out"))
    );
    answer_challenge(&url, "approve").await;
    assert_eq!(world.provider.approvals(), 0);
    let paid = world.pay(&charge, "press-2", "4242424242424242").await;
    assert_eq!(paid.status_code(), "succeeded");
}

#[tokio::test]
async fn an_approved_challenge_pays_even_without_the_return() {
    let world = world().await;
    let (charge, url) = challenged(&world, CHALLENGE).await;
    answer_challenge(&url, "approve").await;
    // Another node handles it when it starts, as after a restart, and stops only after that.
    world.clock.advance_ms(POLL_INTERVAL_MS);
    world.restarted_node().await.stop().await;
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
}

#[tokio::test]
async fn a_challenge_does_not_time_out_while_the_provider_is_away() {
    let world = world().await;
    let (charge, url) = challenged(&world, CHALLENGE).await;
    answer_challenge(&url, "approve").await;
    world.provider.set(LinkState::Down);
    world.clock.advance_ms(CHALLENGE_TIMEOUT_MS);
    assert_eq!(
        reconcile(&world.service.app.charges).await.unwrap(),
        Round { resolved: 0, open: 1 }
    );
    assert_eq!(
        world.shopper_view(&charge).await["status"],
        "waiting_for_shopper_action"
    );
    world.provider.set(LinkState::Works);
    world.clock.advance_ms(POLL_INTERVAL_MS);
    reconcile(&world.service.app.charges).await.unwrap();
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
}

#[tokio::test]
async fn a_challenge_with_a_lost_answer_is_found_and_shown() {
    let world = World::new().await;
    let charge = world.charge().await;
    world.provider.set(LinkState::GarblesAnswers);
    let answer = world.pay(&charge, "press-1", CHALLENGE).await;
    assert_eq!(answer.status_code(), "outcome_unknown");
    world.provider.set(LinkState::Works);
    reconcile(&world.service.app.charges).await.unwrap();
    let seen = world.shopper_view(&charge).await;
    assert_eq!(seen["status"], "waiting_for_shopper_action");
    let back = answer_challenge(seen["shopper_action"]["url"].as_str().unwrap(), "approve").await;
    world.http.get(back).send().await.unwrap();
    assert_eq!(world.view(&charge.id).await["status"], "succeeded");
}

#[tokio::test]
async fn a_challenges_return_changes_nothing_by_itself() {
    let world = world().await;
    let unknown = send(world.request(Method::GET, "/v1/pub/charges/ch_none/return")).await;
    assert_eq!((unknown.status, unknown.code()), (404, "charge_not_found"));
    let (charge, _) = challenged(&world, CHALLENGE).await;
    let path = format!("/v1/pub/charges/{}/return?status=succeeded", charge.id);
    assert_eq!(send(world.request(Method::GET, &path)).await.status, 200);
    assert_eq!(
        world.shopper_view(&charge).await["status"],
        "waiting_for_shopper_action"
    );
}

#[tokio::test]
async fn an_invalid_challenge_window_is_refused() {
    let world = world().await;
    let charge = world.charge().await;
    for wrong in ["", "wide", "390x", "-1x400", "390x400000"] {
        let mut body = card(&charge, CHALLENGE);
        body["setting"]["card"]["three_ds_challenge_window_size"] = json!(wrong);
        let answer = send(world.press(&charge, "press-1", &body)).await;
        assert_eq!(
            (answer.status, answer.field()),
            (400, "setting.card.three_ds_challenge_window_size"),
            "{wrong}"
        );
    }
    assert_eq!(world.provider.asked(), 0);
}

#[tokio::test]
async fn only_the_merchant_learns_of_a_lost_or_stolen_card() {
    let world = world().await;
    for (number, code) in [
        ("4000000000009987", "lost_card"),
        ("4000000000009979", "stolen_card"),
        ("4100000000000019", "fraudulent"),
    ] {
        let charge = world.charge().await;
        let answer = world.pay(&charge, "press-1", number).await;
        assert_eq!(
            answer.body,
            json!({
                "status_code": "failed", "decline_code": "generic_decline", "message": "The card was declined.",
                "retryable": false,
            })
        );
        assert_eq!(
            world.shopper_view(&charge).await["decline_code"],
            "generic_decline"
        );
        assert_eq!(world.view(&charge.id).await["decline_code"], code);
    }
}
