//! `cardform webhook listen`: receives events on a developer's machine, checks and prints them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use clap::Args;
use serde_json::{Value, json};
use standardwebhooks::{HEADER_WEBHOOK_ID, Webhook};

use super::{Failure, Output};
use web::{Listening, Signals, TimeLimits, bind};
use webhooks::EVENT_BYTES_MAX;

/// `cardform webhook listen`.
#[derive(Debug, Args)]
pub struct WebhookListen {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8090")]
    pub listen: SocketAddr,
    /// The secret that `cardform webhook set` printed.
    #[arg(long, value_name = "WHSEC", env = "CARDFORM_WEBHOOK_SECRET")]
    pub secret: String,
}

/// How long the stopping receiver waits for requests under way.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

struct ListenerState {
    key: Webhook,
    output: Output,
}

pub(super) async fn run(args: WebhookListen, output: Output) -> Result<(), Failure> {
    let key = args
        .secret
        .starts_with("whsec_")
        .then(|| Webhook::new(&args.secret).ok())
        .flatten()
        .ok_or("--secret must be the whsec_… that `cardform webhook set` printed")?;
    let mut signals = Signals::listen()?;
    let listener = bind(args.listen).await?;
    let address = listener.local_addr()?;
    let router = Router::new()
        .fallback(receive)
        .layer(DefaultBodyLimit::max(EVENT_BYTES_MAX))
        .with_state(Arc::new(ListenerState { key, output }));
    let server = Listening::serve(listener, None, router, TimeLimits::default());
    let url = format!("http://{address}");
    output.print(&json!({ "listening": url }), &format!("listening on {url}"))?;
    signals.end().await;
    server.stop(DRAIN_LIMIT).await;
    Ok(())
}

/// 204 for an event that is signed with the secret within the last minutes; 400 for any other request. Both are
/// printed.
async fn receive(State(receiver): State<Arc<ListenerState>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let id = headers
        .get(HEADER_WEBHOOK_ID)
        .and_then(|id| id.to_str().ok())
        .unwrap_or("(no id)");
    let checked = receiver
        .key
        .verify(&body, &headers)
        .map_err(|error| error.to_string());
    let event = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    let (status, json, text) = match checked {
        Ok(()) => {
            let field = |pointer| event.pointer(pointer).and_then(Value::as_str).unwrap_or("?");
            let text = format!(
                "{id}  {}  {}  {}",
                field("/type"),
                field("/data/id"),
                field("/timestamp")
            );
            (
                StatusCode::NO_CONTENT,
                json!({ "id": id, "verified": true, "event": event }),
                text,
            )
        }
        Err(why) => (
            StatusCode::BAD_REQUEST,
            json!({ "id": id, "verified": false, "error": why }),
            format!("{id}  refused: {why}"),
        ),
    };
    match receiver.output.print(&json, &text) {
        Ok(()) => status,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
