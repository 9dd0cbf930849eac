//! Every change of keys and merchants, and every opening of a stored card, is in the audit log, and no line can be
//! changed or removed.

use serde_json::{Value, json};
use store::{Actor, NewSecretKey, PartnerChange};

use crate::cards::{SHOPPER, id, saved, words_besides_ids};
use crate::other_program::OtherProgram;
use crate::process::run;
use crate::world::{PARTNER_ID, World, send};

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
        assert_eq!(last["actor"], format!("shopper {SHOPPER} of {PARTNER_ID}"));
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
