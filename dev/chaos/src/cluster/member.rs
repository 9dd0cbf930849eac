//! A PostgreSQL server with the Patroni that starts and watches it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use harness::companion::{Companion, RunAs, children, signal};
use harness::faulty_proxy::FaultyProxy;
use harness::postgres::free_port;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::Duration;

use super::{LEASE_SECONDS, PASSWORD, SCOPE};

/// How long Patroni may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// A member of the cluster.
pub(crate) struct Member {
    name: String,
    dir: PathBuf,
    data: PathBuf,
    /// Patroni's file.
    pub(super) settings: PathBuf,
    /// The ports of PostgreSQL and of Patroni.
    pub(super) port: u16,
    pub(super) rest_port: u16,
    /// The member's own network to etcd, which can be cut.
    pub(crate) etcd: FaultyProxy,
    http: Client,
    patroni: Option<Companion>,
}

impl Member {
    /// A member that is not started yet.
    pub(super) async fn new(dir: &Path, number: usize, etcd: SocketAddr, programs: &Path) -> Result<Self> {
        let name = format!("pg{number}");
        let member = Self {
            data: dir.join(&name),
            settings: dir.join(format!("{name}.yml")),
            dir: dir.to_owned(),
            name,
            port: free_port()?,
            rest_port: free_port()?,
            etcd: FaultyProxy::start(etcd).await?,
            http: Client::builder().no_proxy().timeout(ANSWER_MAX).build()?,
            patroni: None,
        };
        std::fs::write(&member.settings, member.settings(programs).to_string())?;
        Ok(member)
    }

    /// The content of Patroni's file. JSON is YAML, too. etcd keeps the settings in `dcs` for the whole cluster.
    fn settings(&self, programs: &Path) -> Value {
        let rest = format!("127.0.0.1:{}", self.rest_port);
        let here = format!("127.0.0.1:{}", self.port);
        json!({
            "scope": SCOPE, "name": self.name,
            "restapi": {"listen": rest, "connect_address": rest},
            "etcd3": {"proxy": format!("http://{}", self.etcd.address)},
            "bootstrap": {
                "dcs": {
                    "ttl": LEASE_SECONDS, "loop_wait": 1, "retry_timeout": 3, "maximum_lag_on_failover": 1_048_576,
                    "synchronous_mode": true, "synchronous_mode_strict": true, "primary_start_timeout": 0,
                    "postgresql": {
                        "use_pg_rewind": true, "parameters": {"max_connections": 100, "tcp_user_timeout": "5s"},
                    },
                },
                "initdb": [{"encoding": "UTF8"}, "data-checksums"],
            },
            "postgresql": {
                "listen": here, "connect_address": here, "data_dir": self.data, "bin_dir": programs,
                "use_unix_socket": true,
                "pgpass": self.dir.join(format!("{}.pgpass", self.name)),
                "authentication": {
                    "superuser": {"username": "postgres", "password": PASSWORD, "sslmode": "require"},
                    "replication": {"username": "replicator", "password": PASSWORD, "sslmode": "require"},
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
        })
    }

    /// Starts Patroni, which starts PostgreSQL.
    pub(crate) fn start(&mut self) -> Result<()> {
        let line = format!("patroni {}", self.settings.display());
        let patroni = Companion::start(&self.name, &self.dir, RunAs::Unprivileged, &line)?;
        self.patroni = Some(patroni);
        Ok(())
    }

    /// Whether the member has this role, by Patroni's answer.
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

    /// Sends this signal to all of its processes.
    pub(crate) fn signal_all(&self, name: &str) {
        signal(name, &self.processes());
    }

    /// SIGKILL to all of its processes.
    pub(crate) fn kill(&mut self) {
        self.signal_all("KILL");
        self.patroni = None;
    }
}
