//! A server in place of Stripe with scripted answers in the documented format, one per request in order. It records its
//! requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::waiting::in_time;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A scripted answer.
#[derive(Debug, Clone)]
pub(crate) enum ScriptedAnswer {
    /// This status and body.
    Says(u16, Value),
    /// The same with a header.
    SaysWith(&'static str, u16, Value),
    /// The same, and the connection stays open; [`Peer::is_closed_by_client`] tells whether the client closed it.
    SaysAndStays(u16, Value),
    /// The connection ends without an answer.
    HangsUp,
    /// No answer, and the connection stays open.
    Silence,
}

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct StripeRequest {
    /// Method and path.
    pub(crate) what: String,
    /// Request line and headers.
    head: String,
    /// The form's body.
    pub(crate) body: String,
}

impl StripeRequest {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (given, value) = line.split_once(": ")?;
            given.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// The script, and the received requests.
#[derive(Default)]
struct PeerScript {
    script: VecDeque<(&'static str, ScriptedAnswer)>,
    asked: Vec<StripeRequest>,
    /// Connections without an answer.
    silent: Vec<TcpStream>,
    /// Connections that were answered and stayed open.
    open: Vec<TcpStream>,
}

/// The peer of one test.
pub(crate) struct Peer {
    pub(crate) url: String,
    stage: Arc<Mutex<PeerScript>>,
    count: watch::Receiver<usize>,
    task: JoinHandle<()>,
}

impl Peer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let stage = Arc::new(Mutex::new(PeerScript::default()));
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
    pub(crate) fn add_answers(&self, script: impl IntoIterator<Item = (&'static str, ScriptedAnswer)>) {
        self.stage.lock().unwrap().script.extend(script);
    }

    /// Waits until this many requests have arrived.
    pub(crate) async fn was_asked(&self, requests: usize) {
        let mut count = self.count.clone();
        let enough = count.wait_for(|count| *count >= requests);
        in_time(format!("{requests} requests arrive at Stripe"), enough)
            .await
            .unwrap();
    }

    /// Whether the client closes every open connection within this time.
    pub(crate) async fn is_closed_by_client(&self, within: Duration) -> bool {
        let open = std::mem::take(&mut self.stage.lock().unwrap().open);
        for mut connection in open {
            let read = tokio::time::timeout(within, connection.read(&mut [0; 1])).await;
            if !matches!(read, Ok(Ok(0))) {
                return false;
            }
        }
        true
    }

    /// The requests since the last call. The whole script must have been used.
    pub(crate) fn asked(&self) -> Vec<StripeRequest> {
        let mut stage = self.stage.lock().unwrap();
        let left: Vec<_> = stage.script.iter().map(|(what, _)| *what).collect();
        let asked = std::mem::take(&mut stage.asked);
        let request_lines: Vec<_> = asked.iter().map(|asked| &asked.what).collect();
        assert!(left.is_empty(), "never asked: {left:?}, but {request_lines:?}");
        asked
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers one request, and closes the connection.
async fn answer(mut connection: TcpStream, stage: &Mutex<PeerScript>) {
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
            // In Stripe's format, so that it counts as an answer; the test fails by the recorded requests.
            other => ScriptedAnswer::Says(
                400,
                json!({"error": {"type": "invalid_request_error", "code": format!("not_{other:?}")}}),
            ),
        }
    };
    let stays = matches!(play, ScriptedAnswer::SaysAndStays(..));
    let (header, status, body) = match play {
        ScriptedAnswer::Says(status, body) | ScriptedAnswer::SaysAndStays(status, body) => {
            ("request-id: req_1", status, body)
        }
        ScriptedAnswer::SaysWith(header, status, body) => (header, status, body),
        ScriptedAnswer::HangsUp => return,
        ScriptedAnswer::Silence => {
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
    // A client that closed the connection gets no answer.
    let _ = connection.write_all(text.as_bytes()).await;
    if stays {
        stage.lock().unwrap().open.push(connection);
    }
}

async fn read(connection: &mut TcpStream) -> Option<StripeRequest> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let mut asked = StripeRequest {
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

/// The answer for a created card.
pub(crate) fn card_made() -> (&'static str, ScriptedAnswer) {
    let card = json!({
        "id": "pm_1", "object": "payment_method", "type": "card", "customer": null,
        "card": {"brand": "visa", "last4": "4242", "exp_month": 12, "exp_year": 2030},
    });
    ("POST /v1/payment_methods", ScriptedAnswer::Says(200, card))
}

/// The answer for a created payment.
pub(crate) fn payment_made() -> (&'static str, ScriptedAnswer) {
    (
        "POST /v1/payment_intents",
        payment("requires_confirmation", json!({})),
    )
}

/// The request and answer of a confirmation.
pub(crate) fn confirmation(play: ScriptedAnswer) -> (&'static str, ScriptedAnswer) {
    ("POST /v1/payment_intents/pi_1/confirm", play)
}

/// The request and answer of a look-up.
pub(crate) fn lookup(play: ScriptedAnswer) -> (&'static str, ScriptedAnswer) {
    ("GET /v1/payment_intents/pi_1?expand[]=latest_charge", play)
}

/// The request and answer of a cancellation.
pub(crate) fn cancellation(play: ScriptedAnswer) -> (&'static str, ScriptedAnswer) {
    ("POST /v1/payment_intents/pi_1/cancel", play)
}

/// The payment in this status, with more fields.
pub(crate) fn payment(status: &str, fields: Value) -> ScriptedAnswer {
    let mut body = json!({
        "id": "pi_1", "object": "payment_intent", "amount": 1250, "currency": "usd", "status": status,
        "next_action": null, "last_payment_error": null, "cancellation_reason": null,
        "metadata": {"cardform_challenge_window": "390x400"},
    });
    let Value::Object(fields) = fields else {
        panic!("no fields");
    };
    body.as_object_mut().unwrap().extend(fields);
    ScriptedAnswer::Says(200, body)
}

/// A refusal with this status, type and these fields.
pub(crate) fn refusal(status: u16, kind: &str, fields: Value) -> ScriptedAnswer {
    let mut error = json!({"type": kind, "message": "In words."});
    let Value::Object(fields) = fields else {
        panic!("no fields");
    };
    error.as_object_mut().unwrap().extend(fields);
    ScriptedAnswer::Says(status, json!({ "error": error }))
}

/// A decline by the issuer.
pub(crate) fn card_error(code: &str, decline_code: Option<&str>) -> ScriptedAnswer {
    refusal(
        402,
        "card_error",
        json!({"code": code, "decline_code": decline_code}),
    )
}
