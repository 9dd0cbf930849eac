//! A running demo with charges, whose API is tested.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::failure::Failure;
use crate::process;

/// The shopper of the charges, who may have saved cards.
const SHOPPER_ID: &str = "shopper-1";

/// The running demo. It ends when this is dropped.
pub(super) struct DemoService {
    _running: Running,
    ready: Value,
    /// The charge that the client secret can pay.
    charge: Value,
    /// The charge that the merchant reads and cancels.
    merchants_charge: Value,
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl DemoService {
    /// Starts the demo with its data and its log in `work`, and makes the charges.
    pub(super) fn start(cardform: &Path, work: &Path) -> Result<Self, Failure> {
        let data = work.join("data");
        let log = work.join("cardform.log");
        let mut command = Command::new(cardform);
        command
            .args(["demo", "--json", "--listen", "127.0.0.1:0", "--data"])
            .arg(&data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).map_err(Failure::file(&log))?);
        let mut child = Running(process::spawn(&mut command)?);
        let line = process::first_line(&command, &mut child.0)?;
        let ready = json(&line, || {
            format!("`{}`, whose log is {}", process::name(&command), log.display())
        })?;
        let charge = || charge(cardform, &data, text(&ready, "partner_id"));
        let (charge, merchants_charge) = (charge()?, charge()?);
        Ok(Self {
            _running: child,
            ready,
            charge,
            merchants_charge,
        })
    }

    /// Where it listens.
    pub(super) fn url(&self) -> &str {
        text(&self.ready, "listening")
    }

    /// The values of the names in the configuration.
    pub(super) fn values(&self) -> [(&'static str, &str); 6] {
        [
            ("CARDFORM_SECRET_KEY", text(&self.ready, "secret_key")),
            ("CARDFORM_PARTNER_ID", text(&self.ready, "partner_id")),
            ("CARDFORM_CLIENT_SECRET", text(&self.charge, "client_secret")),
            ("CARDFORM_CHARGE_ID", text(&self.charge, "id")),
            ("CARDFORM_MERCHANTS_CHARGE_ID", text(&self.merchants_charge, "id")),
            ("CARDFORM_SHOPPER_ID", SHOPPER_ID),
        ]
    }
}

fn charge(cardform: &Path, data: &Path, partner_id: &str) -> Result<Value, Failure> {
    let mut command = Command::new(cardform);
    command
        .args(["charge", "create", "--json", "--partner-id", partner_id])
        .args(["--item-code", "gems-100", "--item-name", "100 gems"])
        .args(["--amount-value", "12.50", "--amount-currency", "USD"])
        .args(["--partner-reference", "order-17", "--shopper-id", SHOPPER_ID])
        .arg("--database")
        .arg(format!("sqlite:{}", data.join("cardform.db").display()))
        // The vault's key opens the key that signs client secrets.
        .arg("--vault-key-file")
        .arg(data.join("vault-keys"));
    let output = process::capture(&mut command)?;
    process::expect_success(&command, output.status)?;
    let what = || format!("`{}`", process::name(&command));
    json(&String::from_utf8_lossy(&output.stdout), what)
}

pub(super) fn json(text: &str, what: impl FnOnce() -> String) -> Result<Value, Failure> {
    serde_json::from_str(text)
        .map_err(|cause| Failure::unusable(what(), format!("its answer cannot be read: {cause}")))
}

pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}
