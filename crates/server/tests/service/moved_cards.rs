//! Saved cards leave for another installation with `cardform vault export`, and come with `cardform vault import`. Wrong
//! files are in `refused_imports.rs`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use pgp::composed::{
    ArmorOptions, EncryptionCaps, KeyType, MessageBuilder, SecretKeyParamsBuilder, SignedPublicKey,
    SignedSecretKey, SubkeyParamsBuilder,
};
use pgp::crypto::ecc_curve::ECCCurve;
use pgp::crypto::sym::SymmetricKeyAlgorithm;
use protocol::{SaveCardUsage, Sensitive};
use rand::rngs::OsRng;
use serde_json::Value;
use store::AuditLine;
use tempfile::TempDir;

use crate::cards::{SHOPPER, id, ring, saved};
use crate::memory::leaks_in_files;
use crate::merchant_payments::with_card;
use crate::process::{complaint, run};
use crate::world::{PARTNER_ID, World, send};

pub(crate) const GOOD: &str = "4242424242424242";
/// A card of Cartes Bancaires and Visa.
const TWO_NETWORKS: &str = "4000002500001001";
pub(crate) const OTHER: &str = "5555555555554444";

/// A new OpenPGP key.
pub(crate) fn open_pgp_key(passphrase: Option<&str>) -> SignedSecretKey {
    let passphrase = passphrase.map(str::to_owned);
    let mut subkey = SubkeyParamsBuilder::default();
    subkey
        .key_type(KeyType::ECDH(ECCCurve::Curve25519Legacy))
        .can_encrypt(EncryptionCaps::All)
        .passphrase(passphrase.clone());
    let mut key = SecretKeyParamsBuilder::default();
    key.key_type(KeyType::Ed25519Legacy)
        .can_certify(true)
        .passphrase(passphrase)
        .primary_user_id("vault@shop.example".into())
        .subkeys(vec![subkey.build().unwrap()]);
    key.build().unwrap().generate(OsRng).unwrap()
}

/// An installation with a vault, and a folder for the operator's files.
pub(crate) struct Installation {
    pub(crate) world: World,
    pub(crate) files: TempDir,
}

impl Installation {
    pub(crate) async fn new(keys: &str) -> Self {
        let world = World::with(|settings| settings.vault_keys = Some(Sensitive::new(keys.to_owned()))).await;
        let installation = Self {
            world,
            files: tempfile::tempdir().unwrap(),
        };
        installation.write("vault-keys", keys);
        installation
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Writes the key into `own.asc` and `public.asc`.
    pub(crate) fn write_key(&self, key: &SignedSecretKey) {
        let armored = ArmorOptions::default;
        self.write("own.asc", key.to_armored_string(armored()).unwrap());
        let public = SignedPublicKey::from(key.clone());
        self.write("public.asc", public.to_armored_string(armored()).unwrap());
    }

    /// Runs `cardform vault` in the folder of the files.
    pub(crate) fn vault(&self, arguments: &[&str]) -> Output {
        let settings = [
            "--database",
            self.world.database(),
            "--vault-key-file",
            "vault-keys",
            "--json",
        ];
        run(self.files.path(), &[&["vault"], arguments, &settings].concat())
    }

    pub(crate) fn export(&self, more: &[&str]) -> Value {
        let export = ["export", "--recipient", "public.asc", "--to", "cards.pgp"];
        json_of(&self.vault(&[&export[..], more].concat()))
    }

    pub(crate) fn import(&self, file: &Path, more: &[&str]) -> Output {
        let import = ["import", file.to_str().unwrap(), "--key", "own.asc"];
        self.vault(&[&import[..], more].concat())
    }

    /// Lines of the audit log about imports and exports.
    pub(crate) async fn audit(&self, action: &str) -> Vec<AuditLine> {
        let lines = self
            .world
            .service
            .app
            .store
            .audit_lines(None, 1_000)
            .await
            .unwrap();
        lines.into_iter().filter(|line| line.action == action).collect()
    }

    async fn pays(&self, card: &str) -> bool {
        let charge = self.world.saving_charge(SHOPPER).await;
        let body = saved(&charge, SHOPPER, card, "123");
        send(self.world.press(&charge, "press-1", &body))
            .await
            .status_code()
            == "succeeded"
    }
}

/// The rows, encrypted for the key.
pub(crate) fn encrypted(key: &SignedSecretKey, rows: &str) -> Vec<u8> {
    let public = SignedPublicKey::from(key.clone());
    let message = MessageBuilder::from_bytes("", rows.to_owned().into_bytes());
    let mut message = message.seipd_v1(OsRng, SymmetricKeyAlgorithm::AES256);
    message.encrypt_to_key(OsRng, &public.public_subkeys[0]).unwrap();
    message.to_vec(OsRng).unwrap()
}

pub(crate) fn json_of(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn counts(report: &Value) -> (i64, i64) {
    (
        report["new"].as_i64().unwrap(),
        report["already_saved"].as_i64().unwrap(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn exported_cards_pay_in_another_installation() {
    let (old, new) = (
        Installation::new(&ring("old")).await,
        Installation::new(&ring("new")).await,
    );
    let key = open_pgp_key(None);
    old.write_key(&key);
    new.write_key(&key);
    let agreed = old.world.save_for(SaveCardUsage::OffSession).await;
    let other = id(&old.world.save(SHOPPER, OTHER).await).to_owned();
    let strangers = id(&old.world.save("shopper-8", TWO_NETWORKS).await).to_owned();
    let theirs = old.world.cards_of("shopper-8").await;
    assert_eq!(theirs[0]["networks"], serde_json::json!(["cb", "visa"]));
    let before = old.world.cards_of(SHOPPER).await;

    let exported = old.export(&[]);
    assert_eq!(exported["cards"], 3, "{exported}");
    let lines = old.audit("card_exported").await;
    let mut subjects: Vec<&str> = lines.iter().map(|line| line.subject.as_str()).collect();
    subjects.sort_unstable();
    assert_eq!(subjects, [&agreed, &other, &strangers]);
    assert!(lines[0].detail.contains(exported["recipient"].as_str().unwrap()));
    let file = old.path("cards.pgp");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let planned = json_of(&new.import(&file, &["--dry-run"]));
    assert_eq!((counts(&planned), &planned["dry_run"]), ((3, 0), &true.into()));
    assert_eq!(new.world.cards_of(SHOPPER).await, [] as [Value; 0]);
    assert_eq!(counts(&json_of(&new.import(&file, &[]))), (3, 0));
    assert_eq!(new.world.cards_of(SHOPPER).await, before, "ids, parts and order");
    assert_eq!(new.world.cards_of("shopper-8").await, theirs, "with its networks");
    assert_eq!(new.audit("card_imported").await.len(), 3);

    assert!(new.pays(&other).await);
    let charge = new.world.charge_of_shopper(SHOPPER).await;
    let paid = new
        .world
        .pay_without_shopper(&charge, "month-2", &with_card(&agreed))
        .await;
    assert_eq!(
        (paid.status, &paid.body["status"]),
        (200, &"succeeded".into()),
        "{paid:?}"
    );
    let ledger = new.world.provider.simulator.ledger.entries();
    let first = old.world.provider.simulator.ledger.entries()[0]
        .asked
        .facts
        .network_transaction_id
        .clone();
    let merchant = ledger[1].asked.merchant_initiated.as_ref().unwrap();
    assert_eq!(merchant.network_transaction_id, first);

    // The fingerprints are those of the new vault: it knows the cards again.
    assert_eq!(id(&new.world.save(SHOPPER, OTHER).await), other);
    assert_eq!(new.world.cards_of(SHOPPER).await.len(), 2);
    assert_eq!(counts(&json_of(&new.import(&file, &[]))), (0, 3));
    assert_eq!(new.audit("card_imported").await.len(), 3);

    for dir in [
        old.world.dir.path(),
        old.files.path(),
        new.world.dir.path(),
        new.files.path(),
    ] {
        assert_eq!(leaks_in_files(dir), Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_card_comes_back_from_the_file_with_its_id() {
    let shop = Installation::new(&ring("one")).await;
    shop.write_key(&open_pgp_key(Some("hunter2")));
    shop.write("passphrase", "hunter2\n");
    let card = id(&shop.world.save(SHOPPER, GOOD).await).to_owned();
    shop.export(&[]);
    let charge = shop.world.saving_charge(SHOPPER).await;
    assert_eq!(shop.world.remove(&charge, &card, SHOPPER).await.status, 204);
    // The same number, saved meanwhile, has another id.
    let newer = id(&shop.world.save(SHOPPER, GOOD).await).to_owned();
    let passphrase = ["--passphrase-file", "passphrase"];
    let report = json_of(&shop.import(&shop.path("cards.pgp"), &passphrase));
    assert_eq!(counts(&report), (0, 1));
    let other = &report["other_ids"][0];
    assert_eq!(
        (&other["line"], &other["in_file"], &other["here"]),
        (&2.into(), &card.clone().into(), &newer.clone().into())
    );

    let charge = shop.world.saving_charge(SHOPPER).await;
    assert_eq!(shop.world.remove(&charge, &newer, SHOPPER).await.status, 204);
    assert_eq!(
        counts(&json_of(&shop.import(&shop.path("cards.pgp"), &passphrase))),
        (1, 0)
    );
    assert!(shop.pays(&card).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cards_of_one_merchant_move_to_another_merchant() {
    let shop = Installation::new(&ring("one")).await;
    let key = open_pgp_key(None);
    shop.write_key(&key);
    let second = shop.world.another_merchant().await;
    shop.world.save(SHOPPER, GOOD).await;
    let exported = shop.export(&["--partner-id", PARTNER_ID]);
    assert_eq!(exported["cards"], 1);
    std::fs::remove_file(shop.path("cards.pgp")).unwrap();
    assert_eq!(shop.export(&["--partner-id", "partner_other"])["cards"], 0);

    // Rows of another processor have no ids of ours, and two rows may be the same card.
    let rows = format!(
        "expiration_year,shopper_id,card_number,expiration_month\n2031,{SHOPPER},{OTHER},3\n2031,{SHOPPER},{OTHER},3\n"
    );
    shop.write("theirs.pgp", encrypted(&key, &rows));
    let to = ["--partner-id", "partner_other"];
    let planned = json_of(&shop.import(&shop.path("theirs.pgp"), &[&to[..], &["--dry-run"]].concat()));
    assert_eq!(counts(&planned), (1, 1));
    assert_eq!(
        counts(&json_of(&shop.import(&shop.path("theirs.pgp"), &to))),
        (1, 1)
    );
    let charge = shop.world.saving_charge_of(second, SHOPPER).await;
    let cards = shop.world.cards(&charge, SHOPPER).await;
    assert_eq!(cards.len(), 1);
    assert_eq!(
        (
            &cards[0]["brand"],
            &cards[0]["last_four"],
            &cards[0]["expiration_month"]
        ),
        (&"mastercard".into(), &"4444".into(), &"03".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_with_a_card_that_no_key_opens_writes_nothing() {
    let shop = Installation::new(&ring("lost")).await;
    shop.write_key(&open_pgp_key(None));
    let card = shop.world.save(SHOPPER, GOOD).await;
    shop.write("vault-keys", ring("new"));
    let said = complaint(&shop.vault(&["export", "--recipient", "public.asc", "--to", "cards.pgp"]));
    assert!(
        said.contains(id(&card)) && said.contains("nothing was written"),
        "{said}"
    );
    let mut names: Vec<_> = std::fs::read_dir(shop.files.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["own.asc", "public.asc", "vault-keys"]);
}
