//! Runs `localstripe`, a server that keeps Stripe's objects in memory.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::waiting::said;
use reqwest::Client;
use serde_json::Value;

/// A test key of Stripe. Any text in its format works.
pub(crate) const STRIPE_KEY: &str = "sk_test_4f0aKeyOfTests";

/// A running server; killed when it is dropped.
pub(crate) struct Localstripe {
    child: Child,
    pub(crate) url: String,
    http: Client,
}

/// The program.
pub(crate) fn localstripe() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tools/localstripe/bin/localstripe")
}

impl Localstripe {
    pub(crate) fn start() -> Self {
        let program = localstripe();
        let mut child = Command::new(&program)
            .args(["--from-scratch", "--port", "0"])
            .env("PYTHONUNBUFFERED", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|_| {
                panic!(
                    "{} is not there; `cargo xtask test rust` installs it",
                    program.display()
                )
            });
        let mut line = String::new();
        let id = child.id();
        let mut out = BufReader::new(child.stdout.as_mut().unwrap());
        said(id, || out.read_line(&mut line)).unwrap();
        let digits = line.trim_end_matches(|c: char| !c.is_ascii_digit());
        let port = digits.rsplit(':').next().unwrap_or_default();
        assert!(line.contains("Running on"), "localstripe says {line:?}");
        Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
            http: Client::builder().no_proxy().build().unwrap(),
        }
    }

    /// The object or list at `path`.
    pub(crate) async fn get(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.url));
        let answer = request.bearer_auth(STRIPE_KEY).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    }

    /// All payments, in order of creation.
    pub(crate) async fn payments(&self) -> Vec<Value> {
        let mut list = self.get("/v1/payment_intents?limit=100").await;
        match list["data"].take() {
            Value::Array(payments) => payments,
            other => panic!("no list: {other}"),
        }
    }

    /// The statuses of all payments, sorted.
    pub(crate) async fn statuses(&self) -> Vec<String> {
        let payments = self.payments().await;
        let mut all: Vec<_> = payments
            .iter()
            .map(|payment| payment["status"].as_str().unwrap().to_owned())
            .collect();
        all.sort();
        all
    }

    /// The shopper passes or fails the challenge of the waiting payment. Returns the status of the answer.
    pub(crate) async fn authenticate(&self, payment: &Value, success: bool) -> u16 {
        let id = payment["id"].as_str().unwrap();
        let secret = payment["client_secret"].as_str().unwrap();
        let request = self
            .http
            .post(format!("{}/v1/payment_intents/{id}/_authenticate", self.url))
            .bearer_auth(STRIPE_KEY)
            .body(format!("client_secret={secret}&success={success}"))
            .header("content-type", "application/x-www-form-urlencoded");
        request.send().await.unwrap().status().as_u16()
    }
}

impl Drop for Localstripe {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
