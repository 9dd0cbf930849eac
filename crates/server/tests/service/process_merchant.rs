//! A merchant whose service runs as a process, in a folder of its own.

use protocol::CreatedCharge;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Process, add_merchant};
use crate::world::{new_charge, send};

pub(crate) struct ProcessMerchant {
    pub(crate) dir: TempDir,
    pub(crate) http: Client,
    pub(crate) partner_id: String,
    pub(crate) secret_key: String,
}

impl ProcessMerchant {
    pub(crate) fn new() -> Self {
        Self::with_client(Client::builder().no_proxy().build().unwrap())
    }

    /// A merchant whose calls use this client.
    pub(crate) fn with_client(http: Client) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let added = add_merchant(dir.path());
        let merchant: Value = serde_json::from_slice(&added.stdout).unwrap();
        let text = |name: &str| merchant[name].as_str().unwrap().to_owned();
        Self {
            partner_id: text("partner_id"),
            secret_key: text("secret_key"),
            http,
            dir,
        }
    }

    /// The provider's simulator as a process.
    pub(crate) fn simulator(&self, more: &[&str], log: &str) -> Process {
        let simulator = ["simulator", "--listen", "127.0.0.1:0"];
        Process::start(self.dir.path(), &[&simulator[..], more].concat(), log)
    }

    /// The service as a process.
    pub(crate) fn serve(&self, more: &[&str], log: &str) -> Process {
        let serve = ["serve", "--listen", "127.0.0.1:0"];
        Process::start(self.dir.path(), &[&serve[..], more].concat(), log)
    }

    pub(crate) async fn charge(&self, service: &Process) -> CreatedCharge {
        self.charge_of(service, &new_charge()).await
    }

    /// A charge of this shopper, who may save the card.
    pub(crate) async fn saving_charge(&self, service: &Process, shopper_id: &str) -> CreatedCharge {
        let mut body = new_charge();
        body["shopper_id"] = json!(shopper_id);
        for flag in [
            "enable_save_payment_method",
            "eligible_save_payment_methods",
            "display_saved_payment_method_list",
        ] {
            body[flag] = json!(true);
        }
        self.charge_of(service, &body).await
    }

    async fn charge_of(&self, service: &Process, body: &Value) -> CreatedCharge {
        let create = self.http.post(format!("{}/v1/charges", service.url())).json(body);
        serde_json::from_value(send(create.bearer_auth(&self.secret_key)).await.body).unwrap()
    }

    /// A press of the pay button, from this client.
    pub(crate) fn press(
        &self,
        http: &Client,
        service: &Process,
        charge: &CreatedCharge,
        body: &Value,
    ) -> RequestBuilder {
        http.post(format!("{}/v1/pub/direct/charges", service.url()))
            .bearer_auth(&charge.client_secret)
            .header("partner-id", &self.partner_id)
            .json(body)
    }
}
