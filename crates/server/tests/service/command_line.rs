//! The command line: its output, and its one line of error when it cannot start.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use reqwest::Client;
use serde_json::{Value, json};

use crate::other_program::OtherProgram;
use crate::process::{Process, cardform, complaint, run};
use crate::world::{new_charge, send};

fn json_of(output: &std::process::Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn serve_creates_a_database_only_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--provider-url",
        "http://127.0.0.1:9",
    ];
    let said = complaint(&run(dir.path(), &serve));
    assert!(said.contains("there is no database of cardform"), "{said}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);

    let service = Process::start(dir.path(), &[&serve[..], &["--create"]].concat(), "info");
    drop(service);
    assert!(dir.path().join("cardform.db").is_file());
    // The database exists now.
    drop(Process::start(dir.path(), &serve, "info"));
}

#[test]
fn a_failed_start_is_explained_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let provider = ["--provider-url", "http://127.0.0.1:9"];
    let serve = |more: &[&str]| complaint(&run(dir.path(), &[&["serve", "--create"], more].concat()));

    assert!(serve(&[&["--listen", &address], &provider[..]].concat()).contains("the port is taken"));
    assert!(complaint(&run(dir.path(), &["simulator", "--listen", &address])).contains("the port is taken"));
    assert!(complaint(&run(dir.path(), &["demo", "--listen", &address])).contains("the port is taken"));
    let free = ["--listen", "127.0.0.1:0"];
    assert!(serve(&free).contains("provider_url"));
    let nowhere = [
        &free[..],
        &provider,
        &["--database", "sqlite:missing/cardform.db"],
    ]
    .concat();
    assert!(serve(&nowhere).contains("missing/cardform.db"));
    assert!(serve(&["--database", "mysql://localhost/x"]).contains("database"));
    let unreachable = [
        &free[..],
        &provider,
        &["--database", "postgres://card:hunter2@127.0.0.1:9/pay"],
    ]
    .concat();
    let refused = serve(&unreachable);
    assert!(
        refused.contains("postgres://127.0.0.1/pay") && !refused.contains("hunter2"),
        "{refused}"
    );
    assert!(serve(&["--provider", "another"]).contains("provider"));
    assert!(serve(&["--config", "missing.toml"]).contains("missing.toml"));
    std::fs::write(
        dir.path().join("bad.toml"),
        "listen = \"127.0.0.1:0\"\nlissten = 1\n",
    )
    .unwrap();
    assert!(serve(&["--config", "bad.toml"]).contains("bad.toml, line 2: unknown field `lissten`"));
    std::fs::write(
        dir.path().join("text.db"),
        "this is not a database, whatever its name says",
    )
    .unwrap();
    let not_a_database = [&free[..], &provider, &["--database", "sqlite:text.db"]].concat();
    assert!(serve(&not_a_database).contains("text.db"));
}

#[test]
fn flags_override_the_environment_which_overrides_the_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("cardform.toml"),
        "database = \"sqlite:file.db\"\n",
    )
    .unwrap();
    let migrated = |arguments: &[&str], environment: Option<&str>| {
        let mut command = cardform(dir.path());
        command.args([&["migrate", "--json", "--config", "cardform.toml"], arguments].concat());
        command.envs(environment.map(|database| ("CARDFORM_DATABASE", database)));
        json_of(&command.output().unwrap())["migrated"].clone()
    };
    assert_eq!(migrated(&[], None), "file.db");
    assert_eq!(migrated(&[], Some("sqlite:environment.db")), "environment.db");
    let flag = ["--database", "sqlite:flag.db"];
    assert_eq!(migrated(&flag, Some("sqlite:environment.db")), "flag.db");
}

#[test]
fn the_setting_limits_the_answering_threads() {
    const MANY: usize = 40;
    let dir = tempfile::tempdir().unwrap();
    // With the threads for work that blocks, of which a quiet service has a few.
    let threads_of = |number: &str| {
        let quiet = ["--provider-url", "http://127.0.0.1:9", "--render-time-ms", "0"];
        let serve = [
            "serve",
            "--create",
            "--listen",
            "127.0.0.1:0",
            "--threads",
            number,
        ];
        let service = Process::start(dir.path(), &[&serve[..], &quiet].concat(), "info");
        let tasks = std::fs::read_dir(format!("/proc/{}/task", service.id())).unwrap();
        tasks.count()
    };
    assert!(threads_of("1") < MANY);
    assert!(threads_of(&MANY.to_string()) > MANY);
}

#[test]
fn several_nodes_can_start_at_once_on_a_new_database() {
    let dir = tempfile::tempdir().unwrap();
    let start = |round: usize| {
        cardform(dir.path())
            .args(["migrate", "--database", &format!("sqlite:{round}.db")])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
    };
    for round in 0..4 {
        let started: Vec<_> = (0..8).map(|_| start(round).unwrap()).collect();
        for process in started {
            let output = process.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
    }
}

#[test]
fn merchants_and_charges_are_created_on_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    json_of(&run(dir.path(), &["migrate", "--json"]));
    let added = json_of(&run(
        dir.path(),
        &[
            "merchant",
            "add",
            "--name",
            "Shop",
            "--allowed-origin",
            "https://shop.example",
            "--json",
        ],
    ));
    let partner_id = added["partner_id"].as_str().unwrap();
    assert!(partner_id.starts_with("partner_"));
    assert!(added["secret_key"].as_str().unwrap().starts_with("sk_"));
    let listed = json_of(&run(dir.path(), &["merchant", "list", "--json"]));
    assert_eq!(listed[0]["partner_id"], partner_id);
    assert_eq!(listed[0]["allowed_origins"], json!(["https://shop.example"]));
    let charge = [
        "charge",
        "create",
        "--json",
        "--partner-id",
        partner_id,
        "--item-code",
        "g",
        "--item-name",
        "Gems",
        "--amount-currency",
        "USD",
        "--partner-reference",
        "o",
        "--public-url",
        "https://pay.example",
    ];
    let made = json_of(&run(
        dir.path(),
        &[&charge[..], &["--amount-value", "12.50"]].concat(),
    ));
    assert!(
        made["url"]
            .as_str()
            .unwrap()
            .starts_with("https://pay.example/?payload=")
    );
    let refused = run(dir.path(), &[&charge[..], &["--amount-value", "12.505"]].concat());
    assert!(complaint(&refused).contains("amount_value"));
    let wrong = run(
        dir.path(),
        &[
            "merchant",
            "add",
            "--name",
            "Shop",
            "--allowed-origin",
            "https://shop.example/",
        ],
    );
    assert!(complaint(&wrong).contains("--allowed-origin"));
    assert!(run(dir.path(), &["migrate"]).status.success());
}

/// Client secrets contain the origins, and one of more than 8 KiB is refused.
#[test]
fn a_list_of_origins_that_is_too_long_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    json_of(&run(dir.path(), &["migrate", "--json"]));
    let origins: Vec<String> = (100..300)
        .map(|shop| format!("https://{shop}.shop.example"))
        .collect();
    let add = |origins: &[String]| {
        let mut words = vec!["merchant", "add", "--name", "Shop", "--json"];
        words.extend(origins.iter().flat_map(|origin| ["--allowed-origin", origin]));
        run(dir.path(), &words)
    };
    assert!(complaint(&add(&origins)).contains("4 KiB"));
    json_of(&add(&origins[..150]));
}

/// The merchant is in the database, so its key must not be lost.
#[tokio::test]
async fn the_key_of_a_merchant_whose_webhook_cannot_be_added_is_printed() {
    let dir = tempfile::tempdir().unwrap();
    json_of(&run(dir.path(), &["migrate", "--json"]));
    let database = format!("sqlite:{}", dir.path().join("cardform.db").display());
    OtherProgram::connect(&database)
        .await
        .run("CREATE TRIGGER full BEFORE INSERT ON webhook_endpoints BEGIN SELECT RAISE(ABORT, 'full'); END")
        .await
        .unwrap();
    let hook = ["--webhook-url", "https://shop.example/events"];
    let added = run(
        dir.path(),
        &[&["merchant", "add", "--name", "Shop", "--json"], &hook[..]].concat(),
    );
    assert_eq!(added.status.code(), Some(1));
    let printed: Value = serde_json::from_slice(&added.stdout).unwrap();
    assert!(printed["secret_key"].as_str().unwrap().starts_with("sk_"));
    assert!(complaint(&added).contains("full"));
}

#[tokio::test]
async fn the_demos_key_works_and_stays_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let http = Client::builder().no_proxy().build().unwrap();
    let mut keys = Vec::new();
    for round in 0..2 {
        let demo = Process::start(dir.path(), &["demo", "--listen", "127.0.0.1:0"], "info");
        let key = demo.ready["secret_key"].as_str().unwrap().to_owned();
        assert_eq!(demo.ready["shop"], format!("{}/demo", demo.url()));
        assert_eq!(demo.ready["partner_id"], "partner_demo");
        let request = http
            .post(format!("{}/v1/charges", demo.url()))
            .bearer_auth(&key)
            .json(&new_charge());
        assert_eq!(send(request).await.status, 201, "round {round}");
        keys.push(key);
        let (ended_well, rest) = demo.terminate();
        assert!(ended_well);
        assert_eq!(rest, "");
    }
    assert_eq!(keys[0], keys[1]);
    let file = dir.path().join(".cardform/demo-secret-key");
    assert_eq!(
        std::fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[tokio::test]
async fn the_simulators_ledger_survives_a_kill_and_has_one_entry_per_key() {
    let dir = tempfile::tempdir().unwrap();
    let http = Client::builder().no_proxy().build().unwrap();
    let arguments = ["simulator", "--listen", "127.0.0.1:0", "--data", "ledger"];
    let payment = |number: &str| {
        json!({
            "charge_id": "ch_1", "amount_value": "12.50", "amount_currency": "USD",
            "card": {"number": number, "security_code": "123", "expiration_month": 12, "expiration_year": 2030,
                     "holder_name": ""},
        })
    };
    let mut seen = Vec::new();
    for number in ["4242424242424242", "4000000000000002"] {
        let simulator = Process::start(dir.path(), &arguments, "info");
        let request = http
            .post(format!("{}/v1/payments", simulator.url()))
            .header("idempotency-key", "key-1")
            .json(&payment(number));
        assert_eq!(send(request).await.body["outcome"], "approved");
        seen.push(send(http.get(format!("{}/ledger", simulator.url()))).await.body);
        let known = send(http.get(format!("{}/v1/payments/key-1", simulator.url()))).await;
        assert_eq!(known.body["outcome"], "approved");
        let unknown = send(http.get(format!("{}/v1/payments/key-2", simulator.url()))).await;
        assert_eq!((unknown.status, unknown.code()), (404, "payment_not_found"));
        let keyless = http
            .post(format!("{}/v1/payments", simulator.url()))
            .json(&payment(number));
        assert_eq!(send(keyless).await.status, 400);
        let refund = http
            .post(format!("{}/v1/payments/key-1/refunds", simulator.url()))
            .header("idempotency-key", "key-3")
            .json(&json!({"id": "re_1", "amount_value": "10.00", "amount_currency": "USD"}));
        assert_eq!(send(refund).await.body["status"], "succeeded");
        let ledger = send(http.get(format!("{}/ledger", simulator.url()))).await.body;
        assert_eq!(ledger[0]["amount_refunded"], "10.00");
        let operations = send(http.get(format!("{}/operations", simulator.url())))
            .await
            .body;
        assert_eq!(operations.as_array().map(Vec::len), Some(1), "{operations}");
        simulator.kill();
    }
    assert_eq!(seen[1][0]["amount_refunded"], "10.00");
    seen[1][0]["amount_refunded"] = json!("0.00");
    assert_eq!(seen[0], seen[1]);
    let entry = seen[0][0].as_object().unwrap();
    let names: Vec<_> = entry.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "amount_capturable",
            "amount_captured",
            "amount_currency",
            "amount_refunded",
            "amount_value",
            "at",
            "charge_id",
            "idempotency_key",
            "network",
            "outcome"
        ]
    );
    assert_eq!(seen[0].as_array().unwrap().len(), 1);
}

#[test]
fn the_simulator_prints_its_scenarios_without_an_address() {
    let dir = tempfile::tempdir().unwrap();
    let printed = |arguments: &[&str]| {
        let output = cardform(dir.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = printed(&["simulator", "scenarios"]);
    for line in [
        "ends after 7 days",
        "77  pending, succeeds after an hour",
        "4000000000009995     Declined: insufficient funds, network code 51 (credit, US)",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["--json", "simulator", "scenarios"])).unwrap();
    assert_eq!(json["refunds"][0]["last_digits"], 77);
    let nothing = cardform(dir.path()).arg("simulator").output().unwrap();
    assert_eq!(nothing.status.code(), Some(2));
}

#[test]
fn help_shows_environment_variables_without_their_values() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = [
        ("serve", "CARDFORM_PROVIDER_KEY"),
        ("serve", "CARDFORM_VAULT_KEYS"),
        ("demo", "CARDFORM_DATABASE"),
        ("merchant list", "CARDFORM_DATABASE"),
        ("webhook listen", "CARDFORM_WEBHOOK_SECRET"),
    ];
    for (command, variable) in secrets {
        let output = cardform(dir.path())
            .args(command.split(' '))
            .arg("--help")
            .env(variable, "quite-secret")
            .output()
            .unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains(variable), "{command}: {help}");
        assert!(!help.contains("quite-secret"), "{command}: {help}");
    }
}
