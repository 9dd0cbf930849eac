//! The servers of a merchant in `samples/`, each against a demo: a charge is created and paid, its webhook delivers once,
//! and forged or old ones are refused.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use protocol::CreatedCharge;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use tempfile::TempDir;

use crate::process::{Process, binary, run};
use crate::waiting::{found, holds, said};
use crate::world::{card, send};

/// A merchant's developer reads a sample in one sitting: its lines without comments, imports and blank lines.
const CODE_LINES_MAX: usize = 60;
/// Go has a line for each error and each brace.
const GO_CODE_LINES_MAX: usize = 75;
/// Longer than the five minutes for which a webhook counts.
const TOO_LONG_SECONDS: i64 = 400;

fn samples() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    repository.join("samples")
}

/// A sample that runs; killed when it is dropped.
struct ShopServer {
    child: Child,
    url: String,
}

impl ShopServer {
    /// Starts it in this folder, and reads its address from the first line that has one.
    fn start(mut command: Command, folder: &Path, demo: &Process, webhook_secret: &str) -> Self {
        let is_php = command.get_program() == "php";
        let log = std::fs::File::create(folder.join("shop.log")).unwrap();
        command
            .current_dir(folder)
            .env("CARDFORM_URL", demo.url())
            .env("CARDFORM_SECRET_KEY", demo.ready["secret_key"].as_str().unwrap())
            .env("CARDFORM_WEBHOOK_SECRET", webhook_secret)
            .env("PORT", "0")
            .stdin(Stdio::null());
        // PHP's server speaks on standard error.
        if is_php {
            command.stdout(log).stderr(Stdio::piped());
        } else {
            command.stdout(Stdio::piped()).stderr(log);
        }
        let mut child = command
            .spawn()
            .unwrap_or_else(|cause| panic!("{} is needed: {cause}", command.get_program().display()));
        let out: Box<dyn Read + Send> = match child.stdout.take() {
            Some(out) => Box::new(out),
            None => Box::new(child.stderr.take().unwrap()),
        };
        let mut lines = BufReader::new(out).lines().map_while(Result::ok);
        let url = said(child.id(), || {
            lines.find_map(|line| {
                let from = line.find("http://")?;
                let address = line[from..].split([')', ' ']).next()?;
                Some(address.to_owned())
            })
        });
        // A full pipe would stop the sample.
        std::thread::spawn(move || lines.for_each(drop));
        let url = url.unwrap_or_else(|| panic!("{} did not start", command.get_program().display()));
        Self { child, url }
    }
}

impl Drop for ShopServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A demo, a sample as its merchant's server, and the folder of both.
struct Trade {
    dir: TempDir,
    demo: Process,
    shop: ShopServer,
    http: Client,
    webhook_secret: String,
}

impl Trade {
    fn open(command: Command) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::copy(samples().join("shop.html"), dir.path().join("shop.html")).unwrap();
        let demo = Process::start(dir.path(), &["demo", "--listen", "127.0.0.1:0"], "warn");
        let webhook_secret = set_webhook(dir.path(), &demo, "http://127.0.0.1:9/");
        let shop = ShopServer::start(command, dir.path(), &demo, &webhook_secret);
        set_webhook(dir.path(), &demo, &format!("{}/webhooks", shop.url));
        Self {
            http: Client::builder().no_proxy().build().unwrap(),
            dir,
            demo,
            shop,
            webhook_secret,
        }
    }

    fn delivery(&self, charge: &str) -> PathBuf {
        self.dir.path().join("delivered").join(charge)
    }

    async fn order(&self) -> CreatedCharge {
        let answer = send(self.http.post(format!("{}/orders", self.shop.url))).await;
        serde_json::from_value(answer.body).unwrap()
    }

    async fn view(&self, charge: &CreatedCharge) -> Value {
        let get = self
            .http
            .get(format!("{}/v1/charges/{}", self.demo.url(), charge.id));
        let key = self.demo.ready["secret_key"].as_str().unwrap();
        send(get.bearer_auth(key)).await.body
    }

    /// Pays as the shopper's page does.
    async fn pay(&self, charge: &CreatedCharge) {
        let view = self.view(charge).await;
        let mut body = card(charge, "4242424242424242");
        for name in [
            "item_code",
            "item_name",
            "amount_value",
            "amount_currency",
            "partner_reference",
        ] {
            body[name] = view[name].clone();
        }
        let press = self
            .http
            .post(format!("{}/v1/pub/direct/charges", self.demo.url()));
        let partner_id = self.demo.ready["partner_id"].as_str().unwrap();
        let press = press
            .bearer_auth(&charge.client_secret)
            .header("partner-id", partner_id);
        let answer = send(press.json(&body)).await;
        assert_eq!(
            (answer.status, answer.status_code()),
            (201, "succeeded"),
            "{answer:?}"
        );
    }

    /// The sent events of this charge, from the list of webhooks.
    fn events(&self, arguments: &[&str], charge: &CreatedCharge) -> Value {
        let arguments = [&["webhook"], arguments, &["--charge", charge.id.as_str()]].concat();
        json_of(self.dir.path(), &arguments)
    }

    /// Whether both events of a paid charge were accepted at their last sending.
    fn is_accepted(&self, charge: &CreatedCharge) -> bool {
        let events = self.events(&["list"], charge);
        let events = events.as_array().unwrap();
        events.len() == 2 && events.iter().all(|event| event["state"] == "delivered")
    }

    /// A webhook to the sample, of this time and signature.
    fn webhook(&self, sent: i64, signature: &str, body: &str) -> RequestBuilder {
        let post = self.http.post(format!("{}/webhooks", self.shop.url));
        post.header("webhook-id", "evt_own")
            .header("webhook-timestamp", sent.to_string())
            .header("webhook-signature", signature)
            .body(body.to_owned())
    }

    fn signature(&self, sent: i64, body: &str) -> String {
        let webhook = Webhook::new(&self.webhook_secret).unwrap();
        webhook.sign("evt_own", sent, body.as_bytes()).unwrap()
    }
}

fn json_of(dir: &Path, arguments: &[&str]) -> Value {
    let database = ["--database", "sqlite:.cardform/cardform.db", "--json"];
    let output = run(dir, &[arguments, &database].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the secret, which stays the same.
fn set_webhook(dir: &Path, demo: &Process, url: &str) -> String {
    let partner_id = demo.ready["partner_id"].as_str().unwrap();
    let keys = ["--vault-key-file", ".cardform/vault-keys"];
    let private = ["--webhook-private-networks", "true"];
    let set = ["webhook", "set", "--partner-id", partner_id, "--url", url];
    let set = json_of(dir, &[&set[..], &keys, &private].concat());
    set["webhook_secret"].as_str().unwrap().to_owned()
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// The whole story, the same in every language.
async fn trades(command: Command) {
    let trade = Trade::open(command);
    let page = trade.http.get(&trade.shop.url).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("id=\"card\""));

    let charge = trade.order().await;
    let order = trade.view(&charge).await["partner_reference"].clone();
    trade.pay(&charge).await;
    let delivery = trade.delivery(charge.id.as_str());
    let delivered = found("the order is delivered", async || {
        std::fs::read_to_string(&delivery)
            .ok()
            .filter(|text| !text.is_empty())
    });
    assert_eq!(json!(delivered.await), order);
    holds("the events are accepted", async || trade.is_accepted(&charge)).await;

    std::fs::write(&delivery, "delivered already").unwrap();
    assert_eq!(trade.events(&["replay"], &charge)["replayed"], 2);
    holds("the events are accepted again", async || {
        trade.is_accepted(&charge)
    })
    .await;
    assert_eq!(std::fs::read_to_string(&delivery).unwrap(), "delivered already");

    let renew = format!("{}/orders/{}/client-secret", trade.shop.url, charge.id);
    let renewed = send(trade.http.post(renew)).await;
    let renewed: CreatedCharge = serde_json::from_value(renewed.body).unwrap();
    assert_eq!(renewed.id, charge.id);
    assert_ne!(renewed.client_secret, charge.client_secret);
    // No other address of the API is reached with the shop's key.
    let other = format!("{}/orders/..%2F..%2Fcharges%3F/client-secret", trade.shop.url);
    let refused = send(trade.http.post(other)).await;
    assert!(refused.body["id"].is_null(), "{refused:?}");

    let event = json!({"type": "charge.succeeded", "data": {"id": "ch_own", "partner_reference": "order-9"}});
    let event = event.to_string();
    let wrong = trade.signature(now(), "{}");
    let old = now() - TOO_LONG_SECONDS;
    let early = now() + TOO_LONG_SECONDS;
    for (what, sent, signature) in [
        ("another body's signature", now(), wrong.clone()),
        ("no signature", now(), String::new()),
        ("half of one", now(), "v1,".to_owned()),
        ("an old webhook", old, trade.signature(old, &event)),
        ("a webhook of the future", early, trade.signature(early, &event)),
        (
            "another time than the signed one",
            now(),
            trade.signature(now() - 7, &event),
        ),
    ] {
        let answer = trade.webhook(sent, &signature, &event);
        assert_eq!(send(answer).await.status, 400, "{what}");
    }
    let unsigned = trade.http.post(format!("{}/webhooks", trade.shop.url));
    assert_eq!(send(unsigned.body(event.clone())).await.status, 400);
    assert!(!trade.delivery("ch_own").exists());

    // `cardform trigger` sends such an event without a payment.
    let example = event.replace("\"id\"", "\"test\":true,\"id\"");
    let sent = now();
    let answer = trade.webhook(sent, &trade.signature(sent, &example), &example);
    assert_eq!(send(answer).await.status, 204);
    assert!(!trade.delivery("ch_own").exists());

    // While a secret is changed there are two signatures.
    let sent = now();
    let both = format!("{wrong} {}", trade.signature(sent, &event));
    assert_eq!(send(trade.webhook(sent, &both, &event)).await.status, 204);
    assert_eq!(
        std::fs::read_to_string(trade.delivery("ch_own")).unwrap(),
        "order-9"
    );
    let other = json!({"type": "charge.new_kind", "data": {"id": "ch_other"}}).to_string();
    let signature = trade.signature(sent, &other);
    assert_eq!(send(trade.webhook(sent, &signature, &other)).await.status, 204);
    assert!(!trade.delivery("ch_other").exists());
}

fn interpreted(program: &str, file: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(samples().join(file));
    command
}

#[tokio::test]
async fn the_node_sample_delivers_a_paid_order_once() {
    trades(interpreted("node", "shop.mjs")).await;
}

#[tokio::test]
async fn the_python_sample_delivers_a_paid_order_once() {
    trades(interpreted("python3", "shop.py")).await;
}

#[tokio::test]
async fn the_php_sample_delivers_a_paid_order_once() {
    let mut command = Command::new("php");
    command
        .args(["-S", "127.0.0.1:0"])
        .arg(samples().join("shop.php"));
    trades(command).await;
}

#[tokio::test]
async fn the_go_sample_delivers_a_paid_order_once() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("shop");
    let built = Command::new("go")
        .arg("build")
        .arg("-o")
        .arg(&program)
        .arg("shop.go")
        .current_dir(samples())
        // It is kept from one run to the next.
        .env("GOCACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("go"))
        .env("GOPATH", dir.path())
        .output()
        .expect("go is needed");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    trades(Command::new(program)).await;
}

#[tokio::test]
async fn the_rust_sample_delivers_a_paid_order_once() {
    let binary = PathBuf::from(binary());
    let program = binary.with_file_name("shop");
    // Another build of the service stands in a folder of its own.
    let program = if program.exists() {
        program
    } else {
        PathBuf::from(env!("CARGO_BIN_EXE_cardform")).with_file_name("shop")
    };
    assert!(program.exists(), "run `cargo build -p shop` before");
    trades(Command::new(program)).await;
}

#[test]
fn every_sample_is_short() {
    for (file, import, lines_max) in [
        ("shop.mjs", "import ", CODE_LINES_MAX),
        ("shop.py", "import ", CODE_LINES_MAX),
        ("shop.php", "use ", CODE_LINES_MAX),
        ("rust/src/main.rs", "use ", CODE_LINES_MAX),
        ("shop.go", "\t\"", GO_CODE_LINES_MAX),
    ] {
        let text = std::fs::read_to_string(samples().join(file)).unwrap();
        let lines = text.lines().filter(|line| {
            let code = line.trim_start();
            let is_comment = ["//", "# ", "/**", "\"\"\""]
                .iter()
                .any(|mark| code.starts_with(mark));
            !(code.is_empty() || is_comment || line.starts_with(import))
        });
        let lines = lines.count();
        assert!(lines < lines_max, "{file}: {lines} lines");
    }
}
