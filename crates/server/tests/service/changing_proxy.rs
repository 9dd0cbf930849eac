//! A proxy in front of the service that changes the answers.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use reqwest::Client;
use web::{Listening, TimeLimits, bind};

use crate::world::World;

/// An answer of the service on its way through a proxy.
pub(crate) struct Reply {
    pub(crate) path: String,
    /// `sec-fetch-dest` of the request.
    pub(crate) destination: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn is_page(&self) -> bool {
        self.path.starts_with("/?")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// Replaces `old` with `new` in the page.
    pub(crate) fn replace(&mut self, old: &str, new: &str) {
        if self.is_page() {
            assert!(self.text().contains(old), "{old}");
            self.body = self.text().replacen(old, new, 1).into_bytes();
        }
    }

    /// Replaces `old` with `new` in the page's policy.
    pub(crate) fn policy(&mut self, old: &str, new: &str) {
        if self.is_page() {
            let policy = self.headers["content-security-policy"].to_str().unwrap();
            assert!(policy.contains(old), "{policy}");
            let policy = policy.replacen(old, new, 1);
            self.set("content-security-policy", &policy);
        }
    }

    /// Changes the text between `before` and the next quote in the page; the page in a frame may not have it.
    pub(crate) fn value(&mut self, before: &str, new: &str) {
        if let Some((start, rest)) = self.text().split_once(before).filter(|_| self.is_page()) {
            let (_, end) = rest.split_once('"').unwrap();
            self.body = format!("{start}{before}{new}\"{end}").into_bytes();
        }
    }

    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.headers.insert(name, value.parse().unwrap());
    }

    pub(crate) fn add(&mut self, name: &'static str, value: &str) {
        self.headers.append(name, value.parse().unwrap());
    }
}

/// A change of an answer.
pub(crate) type ReplyChange = fn(&mut Reply);

/// A proxy in front of the service that changes something.
pub(crate) async fn changed(world: &World, change: ReplyChange) -> (Listening, String) {
    let service = world.url("");
    let router = Router::new().fallback(pass).with_state((
        service,
        change,
        Client::builder().no_proxy().build().unwrap(),
    ));
    let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (
        Listening::serve(listener, None, router, TimeLimits::default()),
        url,
    )
}

async fn pass(
    State((service, change, http)): State<(String, ReplyChange, Client)>,
    request: Request,
) -> Response {
    let path = request.uri().path_and_query().unwrap().to_string();
    let mut ask = http.get(format!("{service}{path}"));
    for name in ["accept", "sec-fetch-dest"] {
        if let Some(value) = request.headers().get(name) {
            ask = ask.header(name, value);
        }
    }
    let answer = ask.send().await.unwrap();
    let destination = request.headers().get("sec-fetch-dest");
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    let mut reply = Reply {
        path,
        destination: destination.map_or("", |value| value.to_str().unwrap()).to_owned(),
        headers: answer.headers().clone(),
        body: answer.bytes().await.unwrap().to_vec(),
    };
    reply.headers.remove("content-length");
    reply.headers.remove("transfer-encoding");
    change(&mut reply);
    *response.headers_mut() = reply.headers;
    *response.body_mut() = Body::from(reply.body);
    response
}
