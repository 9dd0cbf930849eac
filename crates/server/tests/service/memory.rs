//! Searches the memory and files of a running process after paying with every test card: no card number, no security
//! code.
//!
//! The search covers what a core dump would have: every writable part of the process's memory, read through `/proc`.
//! Only the binary itself is left out, whose only card numbers are the simulator's list. The service is searched, not
//! the simulator, which is another process. All bytes of the files are searched: the database, its write-ahead log, the
//! logs.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use demo::simulator::cards::{TEST_CARDS, TestCard};
use memchr::memmem;
use protocol::CreatedCharge;
use reqwest::Client;
use serde_json::{Value, json};

use crate::cards::{card_to_save, id, saved};
use crate::process::{Process, run};
use crate::process_merchant::ProcessMerchant;
use crate::waiting::holds;
use crate::world::{new_charge, send};

/// How long a connection may take to close after its answer, which frees its buffers.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(30);
/// How much memory is read at once; two parts overlap by the longest text that is searched for.
const PART_BYTES: usize = 1 << 20;
const OVERLAP_BYTES: usize = 64;

/// No test card's number is shorter.
const NUMBER_DIGITS_MIN: usize = 12;

/// The security code in a request's body and in the provider's request.
const SECURITY_CODES: [&str; 2] = ["security_code\":\"917", "security_code\": \"917"];

struct InspectedServer {
    merchant: ProcessMerchant,
    _simulator: Process,
    service: Process,
    protocol: Protocol,
}

/// The protocol of the client.
#[derive(Debug, Clone, Copy)]
enum Protocol {
    Http1,
    Http2,
}

impl Protocol {
    /// A client with no connection yet.
    fn client(self) -> Client {
        let builder = Client::builder().no_proxy();
        let builder = match self {
            Self::Http1 => builder.http1_only(),
            Self::Http2 => builder.http2_prior_knowledge(),
        };
        builder.build().unwrap()
    }
}

impl InspectedServer {
    fn start(protocol: Protocol) -> Self {
        let merchant = ProcessMerchant::with_client(protocol.client());
        let key = run(merchant.dir.path(), &["key", "generate"]);
        // It is in the same directory and is searched, too; it has no card number either.
        std::fs::write(merchant.dir.path().join("keys"), key.stdout).unwrap();
        let simulator = merchant.simulator(&[], "trace");
        let settings = ["--vault-key-file", "keys", "--provider-url", simulator.url()];
        Self {
            service: merchant.serve(&settings, "trace"),
            merchant,
            protocol,
            _simulator: simulator,
        }
    }

    async fn charge(&self, shopper_id: &str) -> CreatedCharge {
        self.merchant.saving_charge(&self.service, shopper_id).await
    }

    async fn press(&self, charge: &CreatedCharge, body: &Value) -> u16 {
        self.press_from(&self.merchant.http, charge, body).await
    }

    /// A press on the client's own connection.
    async fn press_from(&self, http: &Client, charge: &CreatedCharge, body: &Value) -> u16 {
        let request = self.merchant.press(http, &self.service, charge, body);
        send(request).await.status
    }

    /// Pays with the card, saves every other card, and pays with the saved one again. Returns a client whose connection
    /// carried the number last.
    async fn pay(&self, index: usize, card: &TestCard) -> Client {
        let shopper_id = format!("shopper-{index}");
        let security_code = if card.number.len() == 15 { "9174" } else { "917" };
        let charge = self.charge(&shopper_id).await;
        let mut body = card_to_save(&charge, &shopper_id, card.number);
        body["payment_method"]["card"]["security_code"] = json!(security_code);
        body["payment_method"]["save_payment_method"] = json!(index.is_multiple_of(2));
        // A card that waits for its challenge is stored sealed, and is in no list yet.
        let is_challenged = card.challenge || card.soft_decline;
        let pays_at_once = card.decline.is_none() && !is_challenged;
        let expected = if pays_at_once || is_challenged { 201 } else { 402 };
        assert_eq!(self.press(&charge, &body).await, expected, "{}", card.label());
        let list = self.merchant.http.get(format!(
            "{}/v1/pub/shoppers/{shopper_id}/payment-methods",
            self.service.url()
        ));
        let again = self.charge(&shopper_id).await;
        let cards = send(list.bearer_auth(&again.client_secret)).await.body;
        let is_saved = index.is_multiple_of(2) && pays_at_once;
        assert_eq!(cards["items"].as_array().unwrap().len(), usize::from(is_saved));
        if is_saved {
            let body = saved(&again, &shopper_id, id(&cards["items"][0]["card"]), security_code);
            assert_eq!(self.press(&again, &body).await, 201);
        }
        let idle = self.protocol.client();
        assert_eq!(self.press_from(&idle, &charge, &body).await, expected);
        // A body that is refused half-way was partly read, too.
        body["tax"] = json!(7);
        assert_eq!(self.press_from(&idle, &charge, &body).await, 400);
        idle
    }

    /// Posts a card to a wrong endpoint. Returns a client with an open connection.
    async fn post_by_mistake(&self, path: &str, content_type: &str, key: &str, body: &str) -> Client {
        let idle = self.protocol.client();
        let request = idle
            .post(format!("{}{path}", self.service.url()))
            .bearer_auth(key)
            .header("content-type", content_type)
            .body(body.to_owned());
        send(request).await;
        idle
    }

    /// Endpoints that could get a card by mistake, with a valid key and without.
    async fn post_everywhere_by_mistake(&self, idle: &mut Vec<Client>) {
        let number = TEST_CARDS[0].number;
        let card = json!({ "card": { "number": number, "security_code": "917" } }).to_string();
        let spaced = format!("number={}&x=1", number.replace("4242", "4242+"));
        let event = json!({ "records": [{ "value": { "type": "custom", "name": number } }] }).to_string();
        let long = format!("{}{card}", " ".repeat(200 * 1024));
        let json = "application/json";
        for (path, content_type, body) in [
            ("/v1/charges", json, &card),
            ("/v1/charges", "application/x-www-form-urlencoded", &spaced),
            ("/v1/charges/ch_1/cancel", json, &card),
            ("/v1/charges/ch_1/client-secret", json, &card),
            ("/v1/pub/device-data/initiate", json, &card),
            ("/v1/pub/charges/ch_1/return", json, &card),
            ("/v1/nowhere", json, &card),
            ("/nowhere", json, &card),
            ("/nowhere", json, &long),
            ("/", json, &card),
            ("/healthz", json, &card),
            ("/csp-reports", "application/csp-report", &card),
            ("/csp-reports", "application/reports+json", &long),
            (
                "/topics/cardform-events",
                "application/vnd.kafka.json.v2+json",
                &event,
            ),
            ("/topics/cardform-events", json, &card),
            ("/topics/nowhere", json, &card),
        ] {
            for key in [self.merchant.secret_key.as_str(), "sk_nobody"] {
                idle.push(self.post_by_mistake(path, content_type, key, body).await);
            }
        }
    }

    /// The leaks in memory after connections had time to close.
    async fn leaks(&self) -> Vec<String> {
        let mut leaks = Vec::new();
        let gone = holds("nothing of a card is left in memory", async || {
            leaks = leaks_in_memory(self.service.id());
            leaks.is_empty()
        });
        // The test names the remaining leaks.
        let _ = tokio::time::timeout(CLOSE_TIME_MAX, gone).await;
        leaks
    }
}

pub(crate) fn contains(bytes: &[u8], text: &str) -> bool {
    memmem::find(bytes, text.as_bytes()).is_some()
}

/// The first forbidden text in `bytes`.
fn leak(bytes: &[u8]) -> Option<String> {
    // A run of so many digits has a digit at a multiple of its length, so only these bytes are checked.
    for at in (0..bytes.len()).step_by(NUMBER_DIGITS_MIN) {
        if !bytes[at].is_ascii_digit() {
            continue;
        }
        let before = bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_digit());
        let after = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
        let digits = &bytes[at - before.count()..at + after.count()];
        let card = TEST_CARDS.iter().find(|card| contains(digits, card.number));
        if let Some(card) = card {
            return Some(format!("the number of {}", card.label()));
        }
    }
    let code = SECURITY_CODES.iter().find(|code| contains(bytes, code));
    code.map(|_| "a security code".to_owned())
}

/// Searches every writable part of a process's memory.
pub(crate) fn look_through_memory(process: u32, mut look: impl FnMut(&str, &[u8])) {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let memory = File::open(format!("/proc/{process}/mem")).unwrap();
    for line in maps
        .lines()
        .filter(|line| line.split(' ').nth(1).is_some_and(|mode| mode.starts_with("rw")))
    {
        let (from, to) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let from = u64::from_str_radix(from, 16).unwrap();
        let to = u64::from_str_radix(to, 16).unwrap();
        let mut at = from;
        let mut part = vec![0; PART_BYTES + OVERLAP_BYTES];
        while at < to {
            let length = usize::try_from(to - at).unwrap().min(part.len());
            // A part that was freed after the list was read cannot be read, and has no content.
            if memory.read_exact_at(&mut part[..length], at).is_ok() {
                look(line, &part[..length]);
            }
            at += PART_BYTES as u64;
        }
    }
}

/// Forbidden texts in the process's memory, and their places.
pub(crate) fn leaks_in_memory(process: u32) -> Vec<String> {
    let mut leaks = Vec::new();
    look_through_memory(process, |map, bytes| {
        leaks.extend(leak(bytes).map(|leak| format!("{leak} in {map}")));
    });
    leaks
}

pub(crate) fn leaks_in_files(dir: &Path) -> Vec<String> {
    let mut leaks = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let found = leak(&std::fs::read(&path).unwrap());
        leaks.extend(found.map(|leak| format!("{leak} in {}", path.display())));
    }
    leaks
}

#[test]
fn the_search_for_card_data_finds_a_leak() {
    assert_eq!(leak(b"x4242424242424242y").as_deref(), Some("the number of Visa"));
    assert!(
        leak(b"99378282246310005").is_some(),
        "also at the end of other digits"
    );
    assert!(leak(br#"{"security_code":"9174"}"#).is_some());
    assert_eq!(leak(b"4242 and 424242424242424"), None);
    // The test's own process has a number in its memory.
    let number = String::from("4242424242424242");
    assert!(
        !leaks_in_memory(std::process::id()).is_empty(),
        "{}",
        number.len()
    );
}

#[tokio::test]
async fn no_card_data_is_in_memory_or_files_after_paying() {
    nothing_is_left_after_paying(Protocol::Http1).await;
}

#[tokio::test]
async fn no_card_data_is_in_memory_or_files_after_http_2() {
    nothing_is_left_after_paying(Protocol::Http2).await;
}

#[tokio::test]
async fn a_card_posted_by_mistake_is_not_in_memory_or_files() {
    for protocol in [Protocol::Http1, Protocol::Http2] {
        let server = InspectedServer::start(protocol);
        let mut idle = Vec::new();
        server.post_everywhere_by_mistake(&mut idle).await;
        let leaks = server.leaks().await;
        assert!(leaks.is_empty(), "{protocol:?}: {leaks:#?}");
        drop(idle);
        assert_eq!(leaks_in_files(server.merchant.dir.path()), Vec::<String>::new());
    }
}

/// A connection without a card stays open, so that merchants' servers and pages can reuse it.
#[tokio::test]
async fn a_connection_without_a_card_stays_open() {
    let server = InspectedServer::start(Protocol::Http1);
    let request = || {
        let url = format!("{}/v1/charges", server.service.url());
        let request = server
            .merchant
            .http
            .post(url)
            .bearer_auth(&server.merchant.secret_key);
        request.json(&new_charge())
    };
    let answer = request().send().await.unwrap();
    assert_eq!(answer.status(), 201);
    assert_eq!(answer.headers().get("connection"), None);
    let with_card = request().json(&json!({ "card": TEST_CARDS[0].number }));
    let answer = with_card.send().await.unwrap();
    assert_eq!(answer.headers()["connection"], "close");
    // A large body is not searched.
    let large = request()
        .json(&json!({ "name": "x".repeat(40_000) }))
        .send()
        .await
        .unwrap();
    assert_eq!(large.headers()["connection"], "close");
}

async fn nothing_is_left_after_paying(protocol: Protocol) {
    let server = InspectedServer::start(protocol);
    let mut idle = Vec::new();
    for (index, card) in TEST_CARDS.iter().enumerate() {
        idle.push(server.pay(index, card).await);
    }

    let mut is_read = false;
    look_through_memory(server.service.id(), |_, bytes| {
        is_read |= contains(bytes, &server.merchant.partner_id);
    });
    assert!(is_read, "the memory can be read: the merchant's id is in it");
    let leaks = server.leaks().await;
    assert!(leaks.is_empty(), "{leaks:#?}");

    drop(idle);
    for name in ["cardform.db", "cardform.db-wal", "cardform.log"] {
        assert!(
            std::fs::metadata(server.merchant.dir.path().join(name))
                .unwrap()
                .len()
                > 0,
            "{name}"
        );
    }
    assert_eq!(leaks_in_files(server.merchant.dir.path()), Vec::<String>::new());
}

#[tokio::test]
async fn the_data_key_of_a_removed_card_is_not_in_the_database() {
    let world = crate::world::World::with_vault().await;
    let shopper = crate::cards::SHOPPER;
    let card = world.save(shopper, "4242424242424242").await;
    let kept = world.save(shopper, "5555555555554444").await;
    let rows = world
        .service
        .app
        .store
        .cards_of_other_keys("", "", 10)
        .await
        .unwrap();
    let of = |card: &Value| rows.iter().find(|row| row.id == id(card)).unwrap().sealed.clone();
    let (gone, still) = (of(&card), of(&kept));
    let charge = world.saving_charge(shopper).await;
    assert_eq!(world.remove(&charge, id(&card), shopper).await.status, 204);
    // The write-ahead log is written into the database when the last connection closes.
    world.service.stop().await;
    for entry in std::fs::read_dir(world.dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for text in [&gone.wrapped_key, &gone.number] {
            assert!(!contains(&bytes, text), "{}", path.display());
        }
    }
    let database = std::fs::read(world.dir.path().join("cardform.db")).unwrap();
    assert!(
        contains(&database, &still.wrapped_key),
        "the other card's key is found"
    );
}
