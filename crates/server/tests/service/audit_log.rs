//! Every change of keys and merchants, and every opening of a stored card, is in the audit log, and no line can be
//! changed or removed.

use protocol::{CreatedCharge, Sensitive};
use reqwest::Method;
use serde_json::{Value, json};
use store::{Actor, NewSecretKey, PartnerChange};

use crate::cards::{SHOPPER, card_to_save, id, ring, saved, words_besides_ids};
use crate::other_program::OtherProgram;
use crate::process::run;
use crate::world::{PARTNER_ID, SECRET_KEY, World, send};

const NUMBER: &str = "4242424242424242";

impl World {
    /// The log, the oldest line first, as the command line shows it.
    fn audit(&self, more: &[&str]) -> Vec<Value> {
        let list = [
            "audit",
            "list",
            "--json",
            "--limit",
            "1000",
            "--database",
            self.database(),
        ];
        let listed = run(self.dir.path(), &[&list[..], more].concat());
        assert!(listed.status.success(), "{listed:?}");
        let mut lines: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
        lines.reverse();
        lines
    }
}

fn actions(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["action"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opening_a_stored_card_is_logged_without_the_number() {
    let world = World::with_vault().await;
    let card = world.save(SHOPPER, NUMBER).await;
    let subject = ["--subject", id(&card)];
    assert_eq!(
        world.audit(&subject),
        Vec::<Value>::new(),
        "to save is not to open"
    );
    for press in ["press-1", "press-2"] {
        // Two lines of the same millisecond have no order.
        world.clock.advance_ms(1);
        let charge = world.saving_charge(SHOPPER).await;
        let body = saved(&charge, SHOPPER, id(&card), "123");
        let paid = send(world.press(&charge, press, &body)).await;
        assert_eq!(paid.status_code(), "succeeded");
        let lines = world.audit(&subject);
        let last = lines.last().unwrap();
        assert_eq!(last["action"], "card_opened");
        assert_eq!(last["actor"], format!("shopper of {PARTNER_ID}"));
        assert_eq!(last["detail"]["charge_id"], charge.id);
        assert_eq!(last["at"], protocol::clock::rfc3339(world.clock.now_ms()));
    }
    let all = json!(world.audit(&[])).to_string();
    assert_eq!(all.matches("card_opened").count(), 2);
    let mut words = words_besides_ids(&all);
    assert!(
        words.all(|word| !word.contains(&NUMBER[..4]) && word != "123"),
        "{all}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_charge_that_takes_no_payment_opens_no_card() {
    let world = World::with(|settings| {
        settings.vault_keys = Some(Sensitive::new(ring("key-1")));
        settings.limit_per_charge = Some("1/600".parse().unwrap());
    })
    .await;
    let saved_card = world.save(SHOPPER, NUMBER).await;
    let press = async |charge: &CreatedCharge| {
        let body = saved(charge, SHOPPER, id(&saved_card), "123");
        send(world.press(charge, "saved", &body)).await.status
    };
    let canceled = world.saving_charge(SHOPPER).await;
    let cancel = format!("/v1/charges/{}/cancel", canceled.id);
    send(world.request(Method::POST, &cancel).bearer_auth(SECRET_KEY)).await;
    assert_eq!(press(&canceled).await, 409);
    let paid = world.saving_charge(SHOPPER).await;
    let new = card_to_save(&paid, SHOPPER, NUMBER);
    assert_eq!(send(world.press(&paid, "new", &new)).await.status, 201);
    assert_eq!(press(&paid).await, 201, "it is paid already");
    let limited = world.saving_charge(SHOPPER).await;
    let declined = card_to_save(&limited, SHOPPER, "4000000000009995");
    assert_eq!(send(world.press(&limited, "new", &declined)).await.status, 402);
    assert_eq!(press(&limited).await, 429);
    assert_eq!(world.audit(&["--subject", id(&saved_card)]), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_saved_card_stays_sealed_if_its_line_cannot_be_written() {
    // The trigger below is SQLite's.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("books.db");
    let world = World::with(|settings| {
        settings.vault_keys = Some(Sensitive::new(ring("key-1")));
        settings.database = Some(format!("sqlite:{}", file.display()));
    })
    .await;
    let saved_card = world.save(SHOPPER, NUMBER).await;
    let charge = world.saving_charge(SHOPPER).await;
    let body = saved(&charge, SHOPPER, id(&saved_card), "123");
    let other = OtherProgram::connect(world.database()).await;
    let refuse = "CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'full'); END";
    other.run(refuse).await.unwrap();
    let asked = world.provider.asked();
    let answer = send(world.press(&charge, "press-1", &body)).await;
    assert!(answer.status >= 500, "{answer:?}");
    assert_eq!(world.provider.asked(), asked);
    assert_eq!(
        world.view(&charge.id).await["status"],
        "created",
        "no attempt began"
    );
    // The trigger was the reason.
    other.run("DROP TRIGGER full").await.unwrap();
    assert_eq!(
        send(world.press(&charge, "press-1", &body)).await.status_code(),
        "succeeded"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_of_keys_and_merchants_are_logged_without_keys() {
    let world = World::new().await;
    let store = &world.service.app.store;
    let by = Actor {
        actor: "operator ana@desk".into(),
        at: world.clock.now_ms(),
    };
    let change = PartnerChange {
        active: Some(false),
        ..PartnerChange::default()
    };
    store.change_partner(PARTNER_ID, &change, &by).await.unwrap();
    // A change of nothing is no line.
    let nothing = PartnerChange::default();
    assert!(
        store
            .change_partner(PARTNER_ID, &nothing, &by)
            .await
            .unwrap()
            .is_some()
    );
    let key = NewSecretKey {
        id: "key_2",
        secret: "sk_another",
    };
    store.roll_secret_key(PARTNER_ID, key, by.at, &by).await.unwrap();
    assert!(store.revoke_secret_key(PARTNER_ID, "key_2", &by).await.unwrap());
    assert!(!store.revoke_secret_key(PARTNER_ID, "key_2", &by).await.unwrap());
    let signing = world
        .service
        .app
        .signing_keys
        .add(Some(by.at), &by)
        .await
        .unwrap();
    assert!(store.revoke_signing_key(&signing, &by).await.unwrap());

    let mut lines = world.audit(&["--subject", PARTNER_ID]);
    lines.retain(|line| line["actor"] == by.actor);
    let mut done = actions(&lines);
    done.sort_unstable();
    assert_eq!(
        done,
        ["merchant_changed", "secret_key_added", "secret_key_revoked"]
    );
    let lines = world.audit(&["--subject", &signing]);
    let mut done = actions(&lines);
    done.sort_unstable();
    assert_eq!(done, ["signing_key_added", "signing_key_revoked"]);
    let all = json!(world.audit(&[])).to_string();
    assert!(all.contains("ana@desk") && !all.contains("sk_"), "{all}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolled_key_ends_with_the_overlap() {
    let world = World::new().await;
    let store = &world.service.app.store;
    let good = async |secret: &str| {
        let found = store.partner_by_secret_key(secret, world.clock.now_ms()).await;
        found.unwrap().is_some()
    };
    let roll = async |id: &str, secret: &str, overlap_ms: i64| {
        let by = Actor::service(world.clock.now_ms());
        let key = NewSecretKey { id, secret };
        store
            .roll_secret_key(PARTNER_ID, key, by.at + overlap_ms, &by)
            .await
            .unwrap();
    };
    roll("key_2", "sk_second", 10_000).await;
    roll("key_3", "sk_third", 60_000).await;
    world.clock.advance_ms(9_999);
    assert!(good(crate::world::SECRET_KEY).await && good("sk_second").await && good("sk_third").await);
    world.clock.advance_ms(1);
    assert!(
        !good(crate::world::SECRET_KEY).await,
        "a later roll does not lengthen its time"
    );
    assert!(good("sk_second").await && good("sk_third").await);
    world.clock.advance_ms(50_000);
    assert!(!good("sk_second").await && good("sk_third").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_refuses_to_change_or_remove_a_line() {
    let world = World::new().await;
    let before = world.audit(&[]);
    assert!(!before.is_empty(), "the first signing key left one");
    let connection = OtherProgram::connect(world.database()).await;
    let mut statements = vec!["UPDATE audit_log SET actor = 'nobody'", "DELETE FROM audit_log"];
    if world.database().starts_with("postgres") {
        statements.push("TRUNCATE audit_log");
    } else {
        // REPLACE removes the old line on SQLite without a DELETE.
        statements
            .push("REPLACE INTO audit_log SELECT id, at, 'nobody', action, subject, detail FROM audit_log");
        statements.push(
            "REPLACE INTO audit_log (rowid, id, at, actor, action, subject, detail) \
             SELECT rowid, 'new', at, 'nobody', action, subject, detail FROM audit_log",
        );
    }
    for statement in statements {
        let refused = connection.run(statement).await.unwrap_err();
        assert!(
            refused.contains("the audit log is never"),
            "{statement}: {refused}"
        );
    }
    assert_eq!(world.audit(&[]), before);
}
