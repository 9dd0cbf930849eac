//! After paying with Stripe the process's memory has no card data, and no file or log has card data or Stripe's key.

use serde_json::json;

use super::localstripe::{Localstripe, STRIPE_KEY};
use crate::cards::card_to_save;
use crate::memory::{contains, leaks_in_files, leaks_in_memory, look_through_memory};
use crate::process::{complaint, run};
use crate::process_merchant::ProcessMerchant;
use crate::waiting::holds;
use crate::world::send;

const CARDS: [(&str, u16); 4] = [
    ("4242424242424242", 201),
    ("5555555555554444", 201),
    ("4000000000000341", 402),
    ("4000000000003220", 201),
];
/// The security code in a request to Stripe.
const SECURITY_CODE: &str = "cvc%5D=917";

#[tokio::test]
async fn no_card_data_is_left_and_the_stripe_key_is_in_no_file() {
    let stripe = Localstripe::start();
    let merchant = ProcessMerchant::new();
    let dir = &merchant.dir;
    let secrets = tempfile::tempdir().unwrap();
    let key_file = secrets.path().join("stripe-key");
    std::fs::write(&key_file, format!("{STRIPE_KEY}\n")).unwrap();
    let vault_keys = secrets.path().join("vault-keys");
    std::fs::write(&vault_keys, run(dir.path(), &["key", "generate"]).stdout).unwrap();
    let with_stripe = [
        "--provider",
        "stripe",
        "--provider-url",
        &stripe.url,
        "--provider-key-file",
        key_file.to_str().unwrap(),
        "--vault-key-file",
        vault_keys.to_str().unwrap(),
    ];
    let service = merchant.serve(&with_stripe, "trace");
    for (number, status) in CARDS {
        let charge = merchant.saving_charge(&service, "shopper-7").await;
        let mut body = card_to_save(&charge, "shopper-7", number);
        body["payment_method"]["card"]["security_code"] = json!("917");
        let press = merchant.press(&merchant.http, &service, &charge, &body);
        assert_eq!(send(press).await.status, status, "{number}");
    }
    assert_eq!(stripe.payments().await.len(), CARDS.len());

    let leaks = || {
        let mut leaks = leaks_in_memory(service.id());
        look_through_memory(service.id(), |map, bytes| {
            if contains(bytes, SECURITY_CODE) {
                leaks.push(format!("a security code in {map}"));
            }
        });
        leaks
    };
    holds("nothing of a card is left in memory", async || {
        let left = leaks();
        if !left.is_empty() {
            println!("{left:#?}");
        }
        left.is_empty()
    })
    .await;
    let mut is_read = false;
    look_through_memory(service.id(), |_, bytes| is_read |= contains(bytes, STRIPE_KEY));
    assert!(is_read, "the memory can be read: the key is in it");

    assert_eq!(leaks_in_files(dir.path()), Vec::<String>::new());
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        assert!(!contains(&bytes, STRIPE_KEY), "the key is in {}", path.display());
    }
    let log = std::fs::read_to_string(dir.path().join("cardform.log")).unwrap();
    assert!(log.contains("/v1/pub/direct/charges"), "requests are logged");
}

#[test]
fn an_unusable_stripe_key_stops_the_start_and_is_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    let publishable = dir.path().join("publishable");
    std::fs::write(&publishable, "pk_test_ofSomebody").unwrap();
    std::fs::set_permissions(&publishable, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    for (more, said) in [
        (&[][..], "the setting provider_key_file must name the file"),
        (
            &["--provider-key-file", "none"],
            "cannot read Stripe's key in none",
        ),
        (
            &["--provider-key-file", "publishable"],
            "publishable holds no secret key of Stripe",
        ),
        (
            &[
                "--provider-key",
                "sk_test_1",
                "--provider-url",
                "http://192.0.2.1",
            ],
            "the setting provider_url must be https",
        ),
    ] {
        let mut arguments = vec![
            "serve",
            "--create",
            "--listen",
            "127.0.0.1:0",
            "--provider",
            "stripe",
        ];
        arguments.extend(more);
        let line = complaint(&run(dir.path(), &arguments));
        assert!(line.contains(said) && !line.contains("ofSomebody"), "{line}");
    }
}
