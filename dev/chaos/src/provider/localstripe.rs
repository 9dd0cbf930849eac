//! `localstripe`, a server that keeps Stripe's objects in memory.

use std::path::Path;

use anyhow::{Result, bail};
use harness::companion::{Companion, RunAs};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;

/// Any text in the format of Stripe's keys.
pub(super) const KEY: &str = "sk_test_4f0aKeyOfTrials";
/// More objects of a kind than a drill makes. Unlike Stripe, localstripe has no upper limit.
const LIST_MAX: usize = 1_000_000;
/// It prints this before its address when it listens.
const LISTENS: &str = "Running on ";

/// A running localstripe; killed when it is dropped.
#[derive(Debug)]
pub(super) struct Localstripe {
    _running: Companion,
    http: Client,
    pub(super) url: String,
}

impl Localstripe {
    /// Starts the program; its output goes to `localstripe.log` in `dir`.
    pub(super) fn start(binary: &Path, dir: &Path) -> Result<Self> {
        // The variable makes it print the line with its address at once.
        let line = format!(
            "env PYTHONUNBUFFERED=1 {} --from-scratch --port 0",
            binary.display()
        );
        let running = Companion::start("localstripe", dir, RunAs::Caller, &line)?;
        let mut port = None;
        running.wait_until(|| {
            let log = std::fs::read_to_string(dir.join("localstripe.log")).unwrap_or_default();
            port = port_of(&log);
            port.is_some()
        })?;
        Ok(Self {
            _running: running,
            http: Client::builder().no_proxy().build()?,
            url: format!("http://127.0.0.1:{}", port.unwrap_or_default()),
        })
    }

    /// All objects of a kind, in the order in which they were made.
    pub(super) async fn list(&self, kind: &str, filter: &str) -> Result<Vec<Value>> {
        let path = format!("/v1/{kind}?limit={LIST_MAX}{filter}");
        match self.get(&path).await?["data"].take() {
            Value::Array(objects) => Ok(objects),
            _ => bail!("no list at {path}"),
        }
    }

    /// A request to this path, without a key.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    /// The object or list at this path.
    async fn get(&self, path: &str) -> Result<Value> {
        let answer = self.request(Method::GET, path).bearer_auth(KEY).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    /// The shopper passes or fails the challenge of this payment, if it waits for one.
    pub(super) async fn authenticate(&self, payment: &str, passes: bool) -> Result<()> {
        let path = format!("/v1/payment_intents/{payment}");
        let secret = self.get(&path).await?["client_secret"].take();
        let secret = secret.as_str().unwrap_or_default();
        let request = self
            .request(Method::POST, &format!("{path}/_authenticate"))
            .bearer_auth(KEY)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(format!("client_secret={secret}&success={passes}"));
        // A challenge that is over is refused.
        request.send().await?;
        Ok(())
    }
}

/// The port in localstripe's output.
fn port_of(log: &str) -> Option<u16> {
    let (_, address) = log.split_once(LISTENS)?;
    let (line, _) = address.split_once('\n')?;
    let digits = line.trim_end_matches(|c: char| !c.is_ascii_digit());
    digits.rsplit(':').next()?.parse().ok()
}

#[cfg(test)]
mod tests;
