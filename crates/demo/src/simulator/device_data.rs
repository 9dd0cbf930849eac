//! The simulator's collection of device data: a token for each session, and the page to which a hidden frame posts it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use protocol::DeviceDataSession;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::pages::{escape, with_policy};
use super::routes::Simulator;
use web::JsonBody;

/// How many sessions are kept; then the oldest are removed.
const SESSIONS_MAX: usize = 10_000;
/// How long a token is valid, in seconds.
const TOKEN_SECONDS: i64 = 600;
/// How many first digits of a card number the frame sends.
const FIRST_DIGITS: usize = 6;

/// A session as in `GET /device-data`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Session {
    /// Its id, which a payment names.
    pub session_id: String,
    /// The charge of the session.
    pub charge_id: String,
    /// The card's first six digits, once the hidden frame has sent them.
    pub first_six: Option<String>,
    /// The idempotency key of the last payment that named the session.
    pub paid_with: Option<String>,
}

/// The sessions, newest first. They are lost when the process ends.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<VecDeque<StoredSession>>);

#[derive(Debug)]
struct StoredSession {
    /// What the hidden frame sends as its `JWT`. This one is a random text.
    token: String,
    expires_at: i64,
    session: Session,
}

impl Sessions {
    /// Begins a session. Returns its token.
    fn begin(&self, charge_id: String, now_seconds: i64) -> String {
        let token = Uuid::new_v4().to_string();
        let begun = StoredSession {
            token: token.clone(),
            expires_at: now_seconds + TOKEN_SECONDS,
            session: Session {
                session_id: Uuid::new_v4().to_string(),
                charge_id,
                first_six: None,
                paid_with: None,
            },
        };
        let mut sessions = self.locked();
        sessions.truncate(SESSIONS_MAX - 1);
        sessions.push_front(begun);
        token
    }

    /// Stores the first six digits in the session of the token. Returns the session's id; `None` if token or digits are
    /// not valid.
    fn collect(&self, token: &str, first_six: &str, now_seconds: i64) -> Option<String> {
        let is_bin = first_six.len() == FIRST_DIGITS && first_six.bytes().all(|digit| digit.is_ascii_digit());
        let mut sessions = self.locked();
        let found = sessions
            .iter_mut()
            .find(|known| known.token == token && known.expires_at >= now_seconds);
        let session = &mut found.filter(|_| is_bin)?.session;
        session.first_six = Some(first_six.to_owned());
        Some(session.session_id.clone())
    }

    /// Notes that a payment named the session. A payment can name any text; an unknown session is ignored.
    pub(super) fn paid(&self, session_id: &str, idempotency_key: &str) {
        let mut sessions = self.locked();
        let named = sessions
            .iter_mut()
            .find(|known| known.session.session_id == session_id);
        if let Some(named) = named {
            named.session.paid_with = Some(idempotency_key.to_owned());
        }
    }

    /// Every session, newest first.
    pub fn all(&self) -> Vec<Session> {
        self.locked().iter().map(|known| known.session.clone()).collect()
    }

    fn locked(&self) -> MutexGuard<'_, VecDeque<StoredSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize)]
pub(super) struct Begin {
    charge_id: String,
}

/// `POST /v1/device-data`.
pub(super) async fn begin(
    State(simulator): State<Arc<Simulator>>,
    JsonBody(Begin { charge_id }): JsonBody<Begin>,
) -> Json<DeviceDataSession> {
    let now = simulator.clock.now_seconds();
    Json(DeviceDataSession {
        url: Some(format!("{}/device-data/collect", simulator.public_url)),
        jwt: Some(simulator.device_data.begin(charge_id, now)),
    })
}

/// The form that the hidden frame posts.
#[derive(Deserialize)]
struct Posted {
    #[serde(rename = "Bin")]
    bin: String,
    #[serde(rename = "JWT")]
    jwt: String,
}

/// `POST /device-data/collect`: a page that tells its parent whether the collection worked.
pub(super) async fn collect(State(simulator): State<Arc<Simulator>>, body: Bytes) -> Response {
    let Ok(Posted { bin, jwt }) = serde_urlencoded::from_bytes(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let session = simulator
        .device_data
        .collect(&jwt, &bin, simulator.clock.now_seconds());
    let message = json!({
        "MessageType": "profile.completed",
        "Status": session.is_some(),
        "SessionId": session.unwrap_or_default(),
    });
    let html = include_str!("collect.html").replace("{message}", &escape(&message.to_string()));
    let policy = "default-src 'none'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
                  frame-ancestors *";
    with_policy(Html(html).into_response(), policy)
}

/// `GET /device-data`: every session, newest first.
pub(super) async fn sessions(State(simulator): State<Arc<Simulator>>) -> Json<Vec<Session>> {
    Json(simulator.device_data.all())
}

#[cfg(test)]
mod tests;
