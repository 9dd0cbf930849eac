//! A merchant's server that hears of its charges, and can fail, redirect or say nothing.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use server::http::connection::Pace;
use server::http::listener::{Listening, bind};
use tokio::sync::watch;

/// How the receiver behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mood {
    Answers(u16),
    RedirectsTo(String),
    /// Takes the event and answers once it is in another mood.
    SaysNothing,
}

/// What arrived.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Arrived {
    pub(crate) fn id(&self) -> &str {
        self.headers["webhook-id"].to_str().unwrap()
    }

    pub(crate) fn kind(&self) -> &str {
        self.body["type"].as_str().unwrap()
    }

    pub(crate) fn charge_id(&self) -> &str {
        self.body["data"]["id"].as_str().unwrap()
    }
}

pub(crate) struct Receiver {
    pub(crate) url: String,
    mood: watch::Sender<Mood>,
    shared: Shared,
    _listening: Listening,
}

#[derive(Clone)]
struct Shared {
    mood: watch::Receiver<Mood>,
    arrived: Arc<Mutex<Vec<Arrived>>>,
    count: Arc<watch::Sender<usize>>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let (mood, heard) = watch::channel(Mood::Answers(204));
        let shared = Shared {
            mood: heard,
            arrived: Arc::default(),
            count: Arc::new(watch::channel(0).0),
        };
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}/hooks", listener.local_addr().unwrap());
        let router = Router::new().fallback(hear).with_state(shared.clone());
        Self {
            url,
            mood,
            shared,
            _listening: Listening::serve(listener, None, router, Pace::default()),
        }
    }

    pub(crate) fn set(&self, mood: Mood) {
        self.mood.send_replace(mood);
    }

    /// Waits until this many events have come, and returns all that came.
    pub(crate) async fn arrived(&self, events: usize) -> Vec<Arrived> {
        let mut count = self.shared.count.subscribe();
        count.wait_for(|count| *count >= events).await.unwrap();
        self.all()
    }

    pub(crate) fn all(&self) -> Vec<Arrived> {
        self.shared.arrived.lock().unwrap().clone()
    }

    /// The types of what came for this charge, in their order.
    pub(crate) fn kinds_of(&self, charge_id: &str) -> Vec<String> {
        let all = self.all();
        let of_charge = all.iter().filter(|event| event.charge_id() == charge_id);
        of_charge.map(|event| event.kind().to_owned()).collect()
    }
}

async fn hear(State(mut shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let text = String::from_utf8(body.to_vec()).unwrap();
    shared.arrived.lock().unwrap().push(Arrived {
        headers,
        body: serde_json::from_str(&text).unwrap(),
        text,
    });
    shared.count.send_modify(|count| *count += 1);
    let mood = shared
        .mood
        .wait_for(|mood| *mood != Mood::SaysNothing)
        .await
        .unwrap()
        .clone();
    match mood {
        Mood::Answers(status) => StatusCode::from_u16(status).unwrap().into_response(),
        Mood::RedirectsTo(url) => (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, url)]).into_response(),
        Mood::SaysNothing => unreachable!("it was waited for another"),
    }
}
