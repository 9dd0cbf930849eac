//! `cardform vault` refuses wrong keys and files in one line, without any part of a card, and leaves nothing behind.

use pgp::composed::{ArmorOptions, SignedSecretKey};
use serde_json::Value;

use crate::cards::{SHOPPER, ring};
use crate::moved_cards::{GOOD, Installation, OTHER, encrypted, json_of, open_pgp_key};
use crate::process::complaint;
use crate::world::PARTNER_ID;

const HEADER: &str = "partner_id,shopper_id,card_number,expiration_month,expiration_year,payment_method_id";

async fn shop() -> (Installation, SignedSecretKey) {
    let shop = Installation::new(&ring("one")).await;
    let key = open_pgp_key(None);
    shop.write_key(&key);
    (shop, key)
}

/// A row of a good card.
fn row(shopper_id: &str, id: &str) -> String {
    format!("{PARTNER_ID},{shopper_id},{GOOD},12,2030,{id}")
}

fn file(rows: &[String]) -> String {
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

impl Installation {
    /// The error of an import of this file. No card was saved.
    async fn refusal(&self, content: &[u8], more: &[&str]) -> String {
        self.write("file.pgp", content);
        let said = complaint(&self.import(&self.path("file.pgp"), more));
        assert!(!said.contains(GOOD) && !said.contains(OTHER), "{said}");
        assert_eq!(self.world.cards_of(SHOPPER).await, [] as [Value; 0], "{said}");
        assert!(self.audit("card_imported").await.is_empty(), "{said}");
        said
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_rows_are_named_by_their_lines_and_nothing_is_saved() {
    let (shop, key) = shop().await;
    let long = format!("{PARTNER_ID},\"{},{GOOD},12,2030,", "x".repeat(100_000));
    for (bad, reason) in [
        (
            format!("{PARTNER_ID},{SHOPPER},42424242,12,2030,"),
            "line 3: card_number",
        ),
        (
            format!("{PARTNER_ID},{SHOPPER},{GOOD},13,2030,"),
            "line 3: expiration_month",
        ),
        (format!("{PARTNER_ID},,{GOOD},12,2030,"), "line 3: shopper_id"),
        (
            format!("partner_none,{SHOPPER},{GOOD},12,2030,"),
            "line 3: partner_id is no merchant",
        ),
        (
            format!("{PARTNER_ID},{SHOPPER},{GOOD}"),
            "line 3: it has another number of cells",
        ),
        (long, "line 3: it has another number of cells"),
        (
            row("other", "pm_1"),
            "line 3: payment_method_id is in the file twice",
        ),
    ] {
        let rows = file(&[row(SHOPPER, "pm_1"), bad, row("last", "")]);
        let said = shop.refusal(&encrypted(&key, &rows), &[]).await;
        assert!(
            said.contains(reason) && said.contains("nothing was imported"),
            "{said}"
        );
        assert!(said.contains("file.pgp"), "{said}");
    }
    // Many wrong rows are counted, and the first ones are named.
    let rows: Vec<String> = (0..300).map(|_| row("", "")).collect();
    let said = shop.refusal(&encrypted(&key, &file(&rows)), &[]).await;
    assert!(
        said.contains("300 rows") && said.contains("line 11:") && !said.contains("line 12:"),
        "{said}"
    );
    let rows = file(&[
        row(SHOPPER, ""),
        row(SHOPPER, "").replace(PARTNER_ID, "partner_2"),
    ]);
    let said = shop
        .refusal(&encrypted(&key, &rows), &["--partner-id", PARTNER_ID])
        .await;
    assert!(said.contains("line 3: partner_id is another one"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_of_another_card_is_refused() {
    let (shop, key) = shop().await;
    shop.write("first.pgp", encrypted(&key, &file(&[row("shopper-8", "pm_1")])));
    json_of(&shop.import(&shop.path("first.pgp"), &[]));
    shop.write("file.pgp", encrypted(&key, &file(&[row(SHOPPER, "pm_1")])));
    for more in [&[][..], &["--dry-run"]] {
        let said = complaint(&shop.import(&shop.path("file.pgp"), more));
        assert!(
            said.contains("line 2: payment_method_id belongs to another card"),
            "{said}"
        );
    }
    assert_eq!(shop.world.cards_of(SHOPPER).await, [] as [Value; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_or_changed_file_is_refused() {
    let (shop, key) = shop().await;
    let rows: Vec<String> = (0..400).map(|number| row(&format!("s{number}"), "")).collect();
    let good = encrypted(&key, &file(&rows));
    for place in [good.len() / 2, good.len() - 2, good.len() - 30, 300] {
        let mut changed = good.clone();
        changed[place] ^= 1;
        let said = shop.refusal(&changed, &[]).await;
        assert!(said.contains("damaged, or was changed"), "{place}: {said}");
    }
    let said = shop.refusal(&good[..good.len() - 100], &[]).await;
    assert!(said.contains("damaged, or was changed"), "{said}");
    let clear = file(&[row(SHOPPER, "")]);
    for content in [clear.as_bytes(), b"", b"\xff\xff\xff"] {
        let said = shop.refusal(content, &[]).await;
        assert!(said.contains("is not encrypted with OpenPGP"), "{said}");
    }
    let said = shop.refusal(&encrypted(&open_pgp_key(None), &clear), &[]).await;
    assert!(said.contains("encrypted for another key"), "{said}");
    for (content, reason) in [
        ("", "it is empty"),
        ("shopper_id,card_number\n", "unknown or repeated"),
        (
            "shopper_id,expiration_month,expiration_year,partner_id\n",
            "the column card_number",
        ),
        (GOOD, "name for column 1"),
        ("shopper_id,shopper_id\n", "name for column 2"),
    ] {
        let said = shop.refusal(&encrypted(&key, content), &[]).await;
        let missing = said.contains("does not name the column");
        assert!(said.contains(reason) || missing, "{said}");
    }
    let said = complaint(&shop.import(&shop.path("nowhere.pgp"), &[]));
    assert!(said.contains("nowhere.pgp"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_refused() {
    let (shop, key) = shop().await;
    shop.write("file.pgp", encrypted(&key, &file(&[row(SHOPPER, "")])));
    let locked = open_pgp_key(Some("hunter2"));
    shop.write(
        "locked.asc",
        locked.to_armored_string(ArmorOptions::default()).unwrap(),
    );
    shop.write("wrong", "hunter3");
    for (arguments, reason) in [
        (
            &["import", "file.pgp", "--key", "public.asc"][..],
            "public key only",
        ),
        (&["import", "file.pgp", "--key", "file.pgp"], "no OpenPGP key"),
        (&["import", "file.pgp", "--key", "none.asc"], "none.asc"),
        (
            &["import", "file.pgp", "--key", "locked.asc"],
            "--passphrase-file",
        ),
        (
            &[
                "import",
                "file.pgp",
                "--key",
                "locked.asc",
                "--passphrase-file",
                "wrong",
            ],
            "does not unlock",
        ),
        (
            &[
                "import",
                "file.pgp",
                "--key",
                "own.asc",
                "--partner-id",
                "partner_none",
            ],
            "no merchant",
        ),
        (&["export", "--recipient", "own.asc"], "secret key"),
        (&["export", "--recipient", "vault-keys"], "no OpenPGP key"),
        (
            &["export", "--recipient", "public.asc", "--to", "file.pgp"],
            "exists already",
        ),
        (
            &["export", "--recipient", "public.asc", "--to", "nowhere/file"],
            "nowhere/file",
        ),
        (
            &[
                "export",
                "--recipient",
                "public.asc",
                "--partner-id",
                "partner_none",
            ],
            "no merchant",
        ),
    ] {
        let said = complaint(&shop.vault(arguments));
        assert!(
            said.contains(reason) && !said.contains("hunter"),
            "{arguments:?}: {said}"
        );
    }
    let names = std::fs::read_dir(shop.files.path()).unwrap().count();
    assert_eq!(names, 6, "no file was written");
    assert!(shop.audit("card_exported").await.is_empty());
    let said = complaint(&crate::process::run(
        shop.files.path(),
        &[
            "vault",
            "export",
            "--recipient",
            "public.asc",
            "--database",
            shop.world.database(),
        ],
    ));
    assert!(said.contains("vault_key_file"), "{said}");
}
