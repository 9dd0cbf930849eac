//! A PostgreSQL server with the Patroni that starts and watches it.

use std::path::{Path, PathBuf};

use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::Duration;

use harness::TrialError;
use harness::companion::{Companion, RunAs, children, signal};

/// How long Patroni may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// A member of the cluster.
pub(super) struct Member {
    name: String,
    dir: PathBuf,
    data: PathBuf,
    /// Patroni's file.
    pub(super) settings: PathBuf,
    /// Where PostgreSQL, Patroni, and the way to etcd are.
    pub(super) port: u16,
    pub(super) rest_port: u16,
    pub(super) etcd_port: u16,
    http: Client,
    patroni: Option<Companion>,
}

impl Member {
    pub(super) fn new(dir: &Path, number: usize, [port, rest_port, etcd_port]: [u16; 3]) -> Self {
        let name = format!("pg{number}");
        Self {
            data: dir.join(&name),
            settings: dir.join(format!("{name}.yml")),
            dir: dir.to_owned(),
            name,
            port,
            rest_port,
            etcd_port,
            http: Client::builder()
                .no_proxy()
                .timeout(ANSWER_MAX)
                .build()
                .unwrap_or_default(),
            patroni: None,
        }
    }

    /// Writes Patroni's file. JSON is YAML, too.
    pub(super) fn configure(
        &self,
        programs: &Path,
        scope: &str,
        password: &str,
        dcs: &Value,
    ) -> Result<(), TrialError> {
        let rest = format!("127.0.0.1:{}", self.rest_port);
        let here = format!("127.0.0.1:{}", self.port);
        let settings = json!({
            "scope": scope, "name": self.name,
            "restapi": {"listen": rest, "connect_address": rest},
            "etcd3": {"proxy": format!("http://127.0.0.1:{}", self.etcd_port)},
            "bootstrap": {"dcs": dcs, "initdb": [{"encoding": "UTF8"}, "data-checksums"]},
            "postgresql": {
                "listen": here, "connect_address": here, "data_dir": self.data, "bin_dir": programs,
                "use_unix_socket": true,
                "pgpass": self.dir.join(format!("{}.pgpass", self.name)),
                "authentication": {
                    "superuser": {"username": "postgres", "password": password, "sslmode": "require"},
                    "replication": {"username": "replicator", "password": password, "sslmode": "require"},
                },
                "parameters": {
                    "ssl": "on", "ssl_cert_file": self.dir.join("server.pem"),
                    "ssl_key_file": self.dir.join("server.key"), "unix_socket_directories": self.dir,
                },
                "pg_hba": [
                    "local all all trust",
                    "hostssl all all 127.0.0.1/32 scram-sha-256",
                    "hostssl replication replicator 127.0.0.1/32 scram-sha-256",
                ],
            },
        });
        std::fs::write(&self.settings, settings.to_string())
            .map_err(|cause| TrialError::Start(self.name.clone(), cause))
    }

    /// Starts Patroni, which starts PostgreSQL.
    pub(super) fn start(&mut self) -> Result<(), TrialError> {
        let program = ["patroni".as_ref(), self.settings.as_os_str()];
        self.patroni = Some(Companion::start(
            &self.name,
            &self.dir,
            RunAs::Unprivileged,
            &program,
        )?);
        Ok(())
    }

    /// Whether it plays this part, as Patroni says.
    pub(super) async fn says(&self, part: &str) -> bool {
        let url = format!("http://127.0.0.1:{}/{part}", self.rest_port);
        let answer = self.http.get(url).send().await;
        answer.is_ok_and(|answer| answer.status() == 200)
    }

    /// PostgreSQL's first process.
    fn postmaster(&self) -> Option<u32> {
        let text = std::fs::read_to_string(self.data.join("postmaster.pid")).ok()?;
        text.lines().next()?.parse().ok()
    }

    /// Every process of the member, Patroni first.
    fn processes(&self) -> Vec<u32> {
        let patroni = self.patroni.as_ref().and_then(Companion::id);
        let first: Vec<u32> = [patroni, self.postmaster()].into_iter().flatten().collect();
        let below: Vec<u32> = first.iter().flat_map(|id| children(*id)).collect();
        [first, below].concat()
    }

    pub(super) fn signal_all(&self, name: &str) {
        signal(name, &self.processes());
    }

    pub(super) fn kill(&mut self) {
        self.signal_all("KILL");
        self.patroni = None;
    }
}
