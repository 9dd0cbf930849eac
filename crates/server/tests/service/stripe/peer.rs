//! A peer in Stripe's place that plays answers written by hand in the documented shape, one per request in their order,
//! and remembers what it was sent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What a request is answered with.
#[derive(Debug, Clone)]
pub(crate) enum Play {
    /// This status and body.
    Says(u16, Value),
    /// The same with a header.
    SaysWith(&'static str, u16, Value),
    /// The same, and the connection may go on; [`Peer::was_left`] tells whether the other end closed it.
    SaysAndStays(u16, Value),
    /// The connection ends without an answer.
    HangsUp,
    /// Nothing comes, and the connection stays.
    Silence,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Method and path.
    pub(crate) what: String,
    /// Request line and headers.
    head: String,
    /// The form's body.
    pub(crate) body: String,
}

impl Asked {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (given, value) = line.split_once(": ")?;
            given.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// The script, and what came of it.
#[derive(Default)]
struct Stage {
    script: VecDeque<(&'static str, Play)>,
    asked: Vec<Asked>,
    /// Connections that are left silent.
    silent: Vec<TcpStream>,
    /// Connections that were answered and might have gone on.
    open: Vec<TcpStream>,
}

/// The peer of one test.
pub(crate) struct Peer {
    pub(crate) url: String,
    stage: Arc<Mutex<Stage>>,
    count: watch::Receiver<usize>,
    task: JoinHandle<()>,
}

impl Peer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let stage = Arc::new(Mutex::new(Stage::default()));
        let (counted, count) = watch::channel(0);
        let playing = Arc::clone(&stage);
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                answer(connection, &playing).await;
                counted.send_modify(|count| *count += 1);
            }
        });
        Self {
            url,
            stage,
            count,
            task,
        }
    }

    /// Adds to the script.
    pub(crate) fn plays(&self, script: impl IntoIterator<Item = (&'static str, Play)>) {
        self.stage.lock().unwrap().script.extend(script);
    }

    /// Waits until this many requests have come.
    pub(crate) async fn was_asked(&self, requests: usize) {
        let mut count = self.count.clone();
        count.wait_for(|count| *count >= requests).await.unwrap();
    }

    /// Whether the other end closes, within this time, every connection that might have gone on.
    pub(crate) async fn was_left(&self, within: Duration) -> bool {
        let open = std::mem::take(&mut self.stage.lock().unwrap().open);
        for mut connection in open {
            let read = tokio::time::timeout(within, connection.read(&mut [0; 1])).await;
            if !matches!(read, Ok(Ok(0))) {
                return false;
            }
        }
        true
    }

    /// What it was asked since the last time. The whole script must have been played.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let mut stage = self.stage.lock().unwrap();
        let left: Vec<_> = stage.script.iter().map(|(what, _)| *what).collect();
        let asked = std::mem::take(&mut stage.asked);
        let whats: Vec<_> = asked.iter().map(|asked| &asked.what).collect();
        assert!(left.is_empty(), "never asked: {left:?}, but {whats:?}");
        asked
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers one request, and ends the connection.
async fn answer(mut connection: TcpStream, stage: &Mutex<Stage>) {
    let Some(asked) = read(&mut connection).await else {
        return;
    };
    let play = {
        let mut stage = stage.lock().unwrap();
        let next = stage.script.pop_front();
        let what = asked.what.clone();
        stage.asked.push(asked);
        match next {
            Some((expected, play)) if expected == what => play,
            // Stripe's words, so that it is taken for an answer; the test sees it by what was asked.
            other => Play::Says(
                400,
                json!({"error": {"type": "invalid_request_error", "code": format!("not_{other:?}")}}),
            ),
        }
    };
    let stays = matches!(play, Play::SaysAndStays(..));
    let (header, status, body) = match play {
        Play::Says(status, body) | Play::SaysAndStays(status, body) => ("request-id: req_1", status, body),
        Play::SaysWith(header, status, body) => (header, status, body),
        Play::HangsUp => return,
        Play::Silence => {
            stage.lock().unwrap().silent.push(connection);
            return;
        }
    };
    let body = body.to_string();
    let text = format!(
        "HTTP/1.1 {status} Played\r\ncontent-type: application/json\r\n{header}\r\nconnection: {}\r\n\
         content-length: {}\r\n\r\n{body}",
        if stays { "keep-alive" } else { "close" },
        body.len()
    );
    // Who has hung up meanwhile is not answered.
    let _ = connection.write_all(text.as_bytes()).await;
    if stays {
        stage.lock().unwrap().open.push(connection);
    }
}

async fn read(connection: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let mut asked = Asked {
                what: head.split(' ').take(2).collect::<Vec<_>>().join(" "),
                head: head.to_owned(),
                body: body.to_owned(),
            };
            let length = asked
                .header("content-length")
                .map_or(0, |text| text.parse().unwrap());
            if body.len() >= length {
                asked.body.truncate(length);
                return Some(asked);
            }
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

/// A card that was made.
pub(crate) fn card_made() -> (&'static str, Play) {
    let card = json!({
        "id": "pm_1", "object": "payment_method", "type": "card", "customer": null,
        "card": {"brand": "visa", "last4": "4242", "exp_month": 12, "exp_year": 2030},
    });
    ("POST /v1/payment_methods", Play::Says(200, card))
}

/// A payment that was made.
pub(crate) fn payment_made() -> (&'static str, Play) {
    (
        "POST /v1/payment_intents",
        payment("requires_confirmation", json!({})),
    )
}

/// What a confirmation is answered with.
pub(crate) fn confirmation(play: Play) -> (&'static str, Play) {
    ("POST /v1/payment_intents/pi_1/confirm", play)
}

/// What the question for the payment is answered with.
pub(crate) fn look(play: Play) -> (&'static str, Play) {
    ("GET /v1/payment_intents/pi_1", play)
}

/// What the wish to cancel is answered with.
pub(crate) fn cancellation(play: Play) -> (&'static str, Play) {
    ("POST /v1/payment_intents/pi_1/cancel", play)
}

/// The payment in this status, with these fields besides.
pub(crate) fn payment(status: &str, fields: Value) -> Play {
    let mut body = json!({
        "id": "pi_1", "object": "payment_intent", "amount": 1250, "currency": "usd", "status": status,
        "next_action": null, "last_payment_error": null, "cancellation_reason": null,
        "metadata": {"cardform_challenge_window": "390x400"},
    });
    let Value::Object(fields) = fields else {
        panic!("no fields");
    };
    body.as_object_mut().unwrap().extend(fields);
    Play::Says(200, body)
}

/// A refusal with this status, type and these fields.
pub(crate) fn refusal(status: u16, kind: &str, fields: Value) -> Play {
    let mut error = json!({"type": kind, "message": "In words."});
    let Value::Object(fields) = fields else {
        panic!("no fields");
    };
    error.as_object_mut().unwrap().extend(fields);
    Play::Says(status, json!({ "error": error }))
}

/// The issuer's no.
pub(crate) fn card_error(code: &str, decline_code: Option<&str>) -> Play {
    refusal(
        402,
        "card_error",
        json!({"code": code, "decline_code": decline_code}),
    )
}
