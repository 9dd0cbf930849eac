//! The operator creates and rotates keys while the service runs, without any effect on shoppers.

use std::io::Write;
use std::path::PathBuf;

use payments::saved_cards::rotate::rotate;
use serde_json::Value;
use store::Actor;
use vault::KeyRing;

use crate::cards::{SHOPPER, id, ring, saved};
use crate::process::{complaint, run};
use crate::world::{World, send};

/// More cards than one batch has.
const CARDS: usize = 230;

struct Keys {
    file: PathBuf,
    _dir: tempfile::TempDir,
}

impl Keys {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let keys = Self {
            file: dir.path().join("keys"),
            _dir: dir,
        };
        keys.write(text);
        keys
    }

    fn write(&self, text: &str) {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        // Readable only by its owner, because the service warns about other permissions.
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options
            .open(&self.file)
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }
}

async fn with_keys(keys: &Keys) -> World {
    let file = keys.file.clone();
    World::with(|settings| settings.vault_key_file = Some(file)).await
}

async fn pays(world: &World, card: &Value) -> bool {
    let charge = world.saving_charge(SHOPPER).await;
    let answer = send(world.press(&charge, "press-1", &saved(&charge, SHOPPER, id(card), "123"))).await;
    answer.status_code() == "succeeded"
}

/// How many rows the key of this id wraps.
async fn wrapped_by(world: &World, key_id: &str) -> usize {
    let all = world
        .service
        .app
        .store
        .cards_of_other_keys("", "", 1_000)
        .await
        .unwrap();
    all.iter().filter(|card| card.sealed.key_id == key_id).count()
}

#[tokio::test]
async fn keys_are_rotated_while_the_service_serves() {
    let (old, new) = (ring("old"), ring("new"));
    let keys = Keys::new(&old);
    let world = with_keys(&keys).await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    for number in 1..CARDS {
        world
            .save(&format!("shopper-of-many-{number}"), "4242424242424242")
            .await;
    }

    keys.write(&format!("{new}\n{old}\n"));
    assert!(pays(&world, &card).await, "the old key still opens");
    let again = world.save(SHOPPER, "4242424242424242").await;
    assert_eq!(id(&again), id(&card), "a card is known by the key before");
    world.save(SHOPPER, "5555555555554444").await;
    assert_eq!(wrapped_by(&world, "new").await, 1);

    let file = keys.file.display().to_string();
    let arguments = [
        "key",
        "rotate",
        "--json",
        "--database",
        world.database(),
        "--vault-key-file",
        &file,
    ];
    let rotated = run(world.dir.path(), &arguments);
    assert!(
        rotated.status.success(),
        "{}",
        String::from_utf8_lossy(&rotated.stderr)
    );
    let last: Value = serde_json::from_slice(&rotated.stdout).unwrap();
    assert_eq!(last["rewrapped"], CARDS, "{last}");
    assert_eq!(last["done"], true);
    assert_eq!(wrapped_by(&world, "old").await, 0);

    keys.write(&new);
    assert!(pays(&world, &card).await, "the old key is not needed any more");
    let known = world.save(SHOPPER, "4242424242424242").await;
    assert_eq!(id(&known), id(&card));
    let rest = run(world.dir.path(), &arguments);
    let last: Value = serde_json::from_slice(&rest.stdout).unwrap();
    assert_eq!(last["rewrapped"], 0, "nothing is left to do: {last}");
}

#[tokio::test]
async fn an_interrupted_rotation_can_be_continued() {
    let (old, new) = (ring("old"), ring("new"));
    let keys = Keys::new(&old);
    let world = with_keys(&keys).await;
    for number in 0..CARDS {
        world.save(&format!("shopper-{number}"), "4242424242424242").await;
    }
    let both = KeyRing::parse(&format!("{new}\n{old}")).unwrap();
    let store = world.service.app.store.clone();
    // The first batch is stored when the second one fails.
    let broken_off = tokio::spawn({
        let store = store.clone();
        let both = KeyRing::parse(&format!("{new}\n{old}")).unwrap();
        async move {
            rotate(&store, &both, &Actor::service(0), |_| panic!("broken off"))
                .await
                .map(|_| ())
        }
    });
    assert!(broken_off.await.unwrap_err().is_panic());
    let done = wrapped_by(&world, "new").await;
    assert!((1..CARDS).contains(&done), "{done}");

    let rotated = rotate(&store, &both, &Actor::service(0), |_| ()).await.unwrap();
    assert_eq!(rotated.rewrapped, (CARDS - done) as u64);
    assert_eq!(wrapped_by(&world, "new").await, CARDS);
}

#[tokio::test]
async fn a_card_that_no_key_opens_is_named_and_kept() {
    let keys = Keys::new(&ring("lost"));
    let world = with_keys(&keys).await;
    let card = world.save(SHOPPER, "4242424242424242").await;
    keys.write(&ring("new"));
    assert!(!pays(&world, &card).await);

    let file = keys.file.display().to_string();
    let arguments = [
        "key",
        "rotate",
        "--database",
        world.database(),
        "--vault-key-file",
        &file,
    ];
    let complaint = complaint(&run(world.dir.path(), &arguments));
    assert!(complaint.contains(id(&card)), "{complaint}");
    assert_eq!(wrapped_by(&world, "lost").await, 1);
}

#[tokio::test]
async fn two_nodes_that_knew_different_keys_leave_one_card_after_the_rotation() {
    let (one, two) = (ring("one"), ring("two"));
    let keys = Keys::new(&one);
    let world = with_keys(&keys).await;
    world.save(SHOPPER, "4242424242424242").await;
    world.clock.advance_ms(1);
    keys.write(&two);
    let newer = world.save(SHOPPER, "4242424242424242").await;
    assert_eq!(world.cards_of(SHOPPER).await.len(), 2);

    let both = KeyRing::parse(&format!("{two}\n{one}")).unwrap();
    rotate(&world.service.app.store, &both, &Actor::service(0), |_| ())
        .await
        .unwrap();
    assert_eq!(world.cards_of(SHOPPER).await, [newer]);
}

#[test]
fn a_generated_key_is_a_new_line_for_the_key_file() {
    let dir = tempfile::tempdir().unwrap();
    let generate = || String::from_utf8(run(dir.path(), &["key", "generate"]).stdout).unwrap();
    let (one, two) = (generate(), generate());
    assert_eq!((one.lines().count(), two.lines().count()), (1, 1));
    let ring = KeyRing::parse(&format!("{one}{two}")).unwrap();
    assert!(one.starts_with(ring.active_id()));
    let named = run(dir.path(), &["key", "generate", "--id", "summer", "--json"]);
    let named: Value = serde_json::from_slice(&named.stdout).unwrap();
    assert_eq!(named["id"], "summer");
    assert!(
        KeyRing::parse(named["key"].as_str().unwrap())
            .unwrap()
            .knows("summer")
    );
    complaint(&run(dir.path(), &["key", "generate", "--id", "not an id"]));
}

#[test]
fn a_service_with_unusable_keys_does_not_start() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("keys"), "nonsense").unwrap();
    let owner_alone = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(dir.path().join("keys"), owner_alone).unwrap();
    for keys in [
        ["--vault-key-file", "keys"],
        ["--vault-key-file", "missing"],
        ["--vault-keys", "id:c2VjcmV0"],
    ] {
        let serve = [
            "serve",
            "--create",
            "--provider-url",
            "http://127.0.0.1:9",
            "--listen",
            "127.0.0.1:0",
        ];
        let complaint = complaint(&run(dir.path(), &[&serve[..], &keys[..]].concat()));
        assert!(
            complaint.contains("vault") && !complaint.contains("c2VjcmV0"),
            "{complaint}"
        );
    }
}
