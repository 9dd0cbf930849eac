//! `cardform charge show` lists all events of a charge in order of time, and shows no data of its card.

use payments::charges::reconciler::reconcile;
use protocol::CreatedCharge;
use reqwest::Method;
use serde_json::{Value, json};

use crate::cards::{SHOPPER, id, saved, words_besides_ids};
use crate::challenges::{answer_challenge, challenged};
use crate::process::{complaint, run};
use crate::provider::LinkState;
use crate::webhooks::{all_are, events, pass, world as world_with_webhook};
use crate::world::{World, new_charge, send};
use harness::receiver::ReceiverBehavior;

const GOOD: &str = "4242424242424242";
const DECLINED: &str = "4000000000009995";
const CHALLENGED: &str = "4000000000003220";
const SECOND_MS: i64 = 1_000;

/// The command's output: for a program, and for a person.
pub(crate) async fn show(world: &World, charge_id: &str) -> (Value, String) {
    let (folder, database) = (world.dir.path().to_owned(), world.database().to_owned());
    let charge_id = charge_id.to_owned();
    let printed = tokio::task::spawn_blocking(move || {
        ["--json", "--log=info"].map(|last| {
            let output = run(
                &folder,
                &["charge", "show", &charge_id, "--database", &database, last],
            );
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        })
    });
    let [json, text] = printed.await.unwrap();
    for number in [GOOD, DECLINED, CHALLENGED] {
        for part in [number, &number[..6], &number[number.len() - 4..]] {
            let mut words = words_besides_ids(&json).chain(words_besides_ids(&text));
            assert!(words.all(|word| !word.contains(part)), "{part} in {text} {json}");
        }
    }
    (serde_json::from_str(&json).unwrap(), text)
}

/// The events as `topic what result`, in order.
fn told(story: &Value) -> Vec<String> {
    let events = story["events"].as_array().unwrap();
    events
        .iter()
        .map(|event| {
            let words = [
                "topic",
                "status",
                "what",
                "action",
                "kind",
                "result",
                "decline_code",
            ];
            let words = words.iter().filter_map(|word| event[word].as_str());
            words.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

#[tokio::test]
async fn a_story_lists_attempts_provider_calls_and_webhooks() {
    let (world, receiver) = world_with_webhook().await;
    receiver.set(ReceiverBehavior::Answers(500));
    let charge = world.charge().await;
    world.clock.advance_ms(SECOND_MS);
    world.pay(&charge, "press-1", DECLINED).await;
    receiver.arrived(1).await;
    events(&world.service, &charge, |events| events[0].last_result.is_some()).await;
    receiver.set(ReceiverBehavior::Answers(204));
    pass(&world, 10 * SECOND_MS);
    events(&world.service, &charge, all_are("delivered")).await;

    world.clock.advance_ms(SECOND_MS);
    world.provider.set(LinkState::GarblesAnswers);
    world.pay(&charge, "press-2", GOOD).await;
    events(&world.service, &charge, all_are("delivered")).await;
    let (story, text) = show(&world, &charge.id).await;
    assert_eq!(story["charge"]["status"], "outcome_unknown");
    assert!(text.contains("no shopper can pay"), "{text}");

    world.clock.advance_ms(SECOND_MS);
    world.provider.set(LinkState::Works);
    reconcile(&world.service.app.charges).await.unwrap();
    events(&world.service, &charge, all_are("delivered")).await;
    let (story, text) = show(&world, &charge.id).await;
    assert_eq!(
        told(&story),
        [
            "state created",
            "attempt began",
            "state processing",
            "provider charge declined",
            "attempt declined insufficient_funds",
            "state failed insufficient_funds",
            "webhook written charge.processing",
            "webhook written charge.failed",
            "webhook sent charge.processing 500",
            "webhook sent charge.processing 204",
            "webhook sent charge.failed 204",
            "attempt began",
            "state processing",
            "provider charge unknown",
            "state outcome_unknown",
            "webhook written charge.processing",
            "webhook written charge.outcome_unknown",
            "webhook sent charge.processing 204",
            "webhook sent charge.outcome_unknown 204",
            "provider lookup approved",
            "attempt succeeded",
            "state succeeded",
            "webhook written charge.succeeded",
            "webhook sent charge.succeeded 204",
        ],
        "{text}"
    );
    assert_eq!(story["now"], json!(["it is paid"]));
    let times: Vec<&str> = story["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["at"].as_str().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(
        text.contains("insufficient_funds") && text.contains("partner_test"),
        "{text}"
    );
}

#[tokio::test]
async fn a_story_lists_the_steps_of_a_challenge() {
    let world = World::new().await;
    let (charge, _) = challenged(&world, CHALLENGED).await;
    world.clock.advance_ms(SECOND_MS);
    let path = format!("/v1/pub/charges/{}/cancel-shopper-action", charge.id);
    let canceled = world
        .request(Method::POST, &path)
        .bearer_auth(&charge.client_secret)
        .header("partner-id", "partner_test");
    assert_eq!(send(canceled).await.status, 200);
    world.clock.advance_ms(SECOND_MS);
    let again = world.pay(&charge, "press-2", CHALLENGED).await;
    let url = again.body["shopper_action"]["url"].as_str().unwrap();
    world.clock.advance_ms(SECOND_MS);
    let back = answer_challenge(url, "approve").await;
    world.http.get(back).send().await.unwrap();
    let (story, text) = show(&world, &charge.id).await;
    assert_eq!(
        told(&story),
        [
            "state created",
            "attempt began",
            "state processing",
            "provider charge action_required",
            "state waiting_for_shopper_action",
            "shopper shopper_canceled",
            "provider give_up declined",
            "attempt declined authentication_canceled",
            "state failed authentication_canceled",
            "attempt began",
            "state processing",
            "provider charge action_required",
            "state waiting_for_shopper_action",
            "shopper shopper_returned",
            "provider lookup approved",
            "attempt succeeded",
            "state succeeded",
        ],
        "{text}"
    );
    assert!(text.contains("closed the 3-D Secure challenge"), "{text}");
}

#[tokio::test]
async fn a_story_lists_the_decryption_of_a_saved_card() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, GOOD).await;
    world.clock.advance_ms(SECOND_MS);
    let charge = world.saving_charge(SHOPPER).await;
    let other = world.saving_charge(SHOPPER).await;
    for paid in [&charge, &other] {
        let body = saved(paid, SHOPPER, id(&card), "123");
        assert_eq!(send(world.press(paid, "press-1", &body)).await.status, 201);
    }
    let (story, text) = show(&world, &charge.id).await;
    let opened: Vec<_> = told(&story)
        .into_iter()
        .filter(|event| event.starts_with("audit"))
        .collect();
    assert_eq!(
        opened,
        ["audit card_opened"],
        "the other charge's line is not in it: {text}"
    );
    assert!(text.contains("by shopper of partner_test"), "{text}");
}

#[tokio::test]
async fn a_story_shows_no_card_number_and_no_control_characters() {
    let world = World::new().await;
    let mut body = new_charge();
    body["partner_reference"] = json!(format!("order {GOOD}"));
    let made = world.create(&body, None).await;
    let charge: CreatedCharge = serde_json::from_value(made.body).unwrap();
    let (story, text) = show(&world, &charge.id).await;
    assert_eq!(story["charge"]["partner_reference"], "order 9999999999999999");
    assert!(text.contains("it waits for a card"), "{text}");
    assert!(
        text.chars()
            .all(|character| character == '\n' || !character.is_control())
    );
}

#[tokio::test]
async fn an_unknown_charge_has_no_story() {
    let world = World::new().await;
    let (folder, database) = (world.dir.path().to_owned(), world.database().to_owned());
    let output = tokio::task::spawn_blocking(move || {
        run(&folder, &["charge", "show", "ch_none", "--database", &database])
    });
    assert!(complaint(&output.await.unwrap()).contains("there is no charge with this id"));
}
