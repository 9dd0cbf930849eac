//! Three PostgreSQL servers of which one is the primary: Patroni decides which, with etcd, and HAProxy leads there.
//! Replication is synchronous, and every connection of ours has TLS.

mod member;
mod patroni_version;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tokio::time::{Duration, Instant, sleep};

use self::member::Member;
use self::patroni_version::check_patroni;
use harness::TrialError;
use harness::companion::{Companion, RunAs, open_to_all};
use harness::haproxy::HaProxy;
use harness::postgres::free_port;
use harness::postgres_programs::{as_unprivileged_user, programs};

const MEMBERS: usize = 3;
/// The name under which etcd keeps the cluster.
const SCOPE: &str = "cardform";
/// The password of every user, who all live as long as the trial.
const PASSWORD: &str = "trial";
/// How long the cluster may take to be whole: its first start makes three databases.
const WHOLE_WITHIN: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_millis(200);

/// Seconds: how long the primary's lease lasts, how often it is renewed, and how long etcd may not answer.
pub(crate) const LEASE_SECONDS: u64 = 8;
const RENEWED_EVERY_SECONDS: u64 = 1;
const RETRIED_FOR_SECONDS: u64 = 3;

/// A running cluster; it ends when it is dropped.
pub(crate) struct Cluster {
    members: Vec<Member>,
    proxy: HaProxy,
    _etcd: Companion,
    programs: PathBuf,
    dir: PathBuf,
    port: u16,
}

/// The settings of the whole cluster, which Patroni keeps in etcd.
fn dcs() -> Value {
    json!({
        "ttl": LEASE_SECONDS, "loop_wait": RENEWED_EVERY_SECONDS, "retry_timeout": RETRIED_FOR_SECONDS,
        "maximum_lag_on_failover": 1_048_576, "synchronous_mode": true, "synchronous_mode_strict": true,
        "primary_start_timeout": 0,
        "postgresql": {"use_pg_rewind": true, "parameters": {"max_connections": 100, "tcp_user_timeout": "5s"}},
    })
}

impl Cluster {
    /// Starts it in this folder, and waits until it is whole.
    pub(crate) async fn start(dir: &Path) -> Result<Self, TrialError> {
        let failed = |cause| TrialError::Start("the cluster".to_owned(), cause);
        open_to_all(dir)?;
        let programs = programs()?;
        certify(dir)?;
        check_patroni()?;
        let port = || free_port().map_err(failed);
        let (etcd_port, peer_port, proxy_port) = (port()?, port()?, port()?);
        let etcd = start_etcd(dir, etcd_port, peer_port)?;
        let mut members = Vec::new();
        for number in 0..MEMBERS {
            members.push(Member::new(dir, number, [port()?, port()?, port()?]));
        }
        let sections = [
            primary_section(proxy_port, &members),
            etcd_sections(etcd_port, &members),
        ]
        .concat();
        let proxy = HaProxy::with(dir, "database-proxy", &sections)?;
        for member in &mut members {
            member.configure(&programs, SCOPE, PASSWORD, &dcs())?;
            member.start()?;
        }
        let cluster = Self {
            members,
            proxy,
            _etcd: etcd,
            programs,
            dir: dir.to_owned(),
            port: proxy_port,
        };
        cluster.whole().await?;
        Ok(cluster)
    }

    /// The URL of a new, empty database at the primary, wherever that is.
    pub(crate) async fn new_database(&self, name: &str) -> Result<String, TrialError> {
        let primary = &self.members[self.primary().await?];
        for sql in [
            format!("CREATE ROLE cardform LOGIN PASSWORD '{PASSWORD}'"),
            format!("CREATE DATABASE {name} OWNER cardform"),
        ] {
            let mut psql = Command::new(self.programs.join("psql"));
            psql.args([
                "-X",
                "-q",
                "-v",
                "ON_ERROR_STOP=1",
                "-U",
                "postgres",
                "-d",
                "postgres",
                "-h",
            ]);
            psql.arg(&self.dir)
                .args(["-p", &primary.port.to_string(), "-c", &sql]);
            ran("psql", &mut psql)?;
        }
        let root = self
            .dir
            .join("server.pem")
            .display()
            .to_string()
            .replace('/', "%2F");
        Ok(format!(
            "postgres://cardform:{PASSWORD}@localhost:{}/{name}?sslmode=verify-full&sslrootcert={root}",
            self.port
        ))
    }

    /// The number of the member that is the primary.
    pub(crate) async fn primary(&self) -> Result<usize, TrialError> {
        let until = Instant::now() + WHOLE_WITHIN;
        loop {
            for (number, member) in self.members.iter().enumerate() {
                if member.says("primary").await {
                    return Ok(number);
                }
            }
            if Instant::now() > until {
                return Err(TrialError::NotReady(
                    "the cluster".to_owned(),
                    "it has no primary".to_owned(),
                ));
            }
            sleep(PAUSE).await;
        }
    }

    /// Waits until it has a primary, and the others follow it, one of them synchronously.
    pub(crate) async fn whole(&self) -> Result<(), TrialError> {
        let until = Instant::now() + WHOLE_WITHIN;
        loop {
            let mut primaries = 0;
            let mut synchronous = 0;
            let mut following = 0;
            for member in &self.members {
                primaries += usize::from(member.says("primary").await);
                following += usize::from(member.says("replica").await);
                synchronous += usize::from(member.says("synchronous").await);
            }
            if (primaries, following) == (1, MEMBERS - 1) && synchronous > 0 {
                return Ok(());
            }
            if Instant::now() > until {
                let problem =
                    format!("{primaries} primaries, {following} followers, {synchronous} synchronous");
                return Err(TrialError::NotReady("the cluster".to_owned(), problem));
            }
            sleep(PAUSE).await;
        }
    }

    /// SIGKILL to everything of this member.
    pub(crate) fn kill(&mut self, number: usize) {
        self.members[number].kill();
    }

    /// Starts a killed member again.
    pub(crate) fn start_again(&mut self, number: usize) -> Result<(), TrialError> {
        self.members[number].start()
    }

    /// SIGSTOP to everything of this member, as if its machine stood still.
    pub(crate) fn freeze(&self, number: usize) {
        self.members[number].signal_all("STOP");
    }

    /// The member goes on, as if no time had passed.
    pub(crate) fn thaw(&self, number: usize) {
        self.members[number].signal_all("CONT");
    }

    /// Cuts the member off from etcd; clients still reach its database.
    pub(crate) fn cut_off(&self, number: usize) -> Result<(), TrialError> {
        self.proxy.ask(&format!("disable server etcd{number}/etcd"))?;
        self.proxy
            .ask(&format!("shutdown sessions server etcd{number}/etcd"))?;
        Ok(())
    }

    /// The member reaches etcd again.
    pub(crate) fn reconnect(&self, number: usize) -> Result<(), TrialError> {
        self.proxy.ask(&format!("enable server etcd{number}/etcd"))?;
        Ok(())
    }

    /// Makes another member the primary, as an operator does it.
    pub(crate) fn switch_over(&self, number: usize) -> Result<(), TrialError> {
        let mut patronictl = Command::new("patronictl");
        patronictl.arg("-c").arg(&self.members[number].settings);
        patronictl.args(["switchover", SCOPE, "--force"]);
        ran("patronictl", &mut patronictl)
    }
}

/// Leads to the member that is the primary. Connections to one that is no longer are closed.
fn primary_section(port: u16, members: &[Member]) -> String {
    let servers = members.iter().enumerate().map(|(number, member)| {
        let (port, rest_port) = (member.port, member.rest_port);
        format!("    server pg{number} 127.0.0.1:{port} check port {rest_port}\n")
    });
    format!(
        "listen postgres\n    mode tcp\n    bind 127.0.0.1:{port}\n    timeout client 1h\n    timeout server 1h\n\
         \x20   timeout check 500ms\n    option httpchk OPTIONS /primary\n    http-check expect status 200\n\
         \x20   default-server inter 500ms fastinter 250ms downinter 250ms fall 2 rise 1 on-marked-down shutdown-sessions\n\
         {}",
        servers.collect::<String>()
    )
}

/// Each member's own way to etcd, which can be cut.
fn etcd_sections(etcd_port: u16, members: &[Member]) -> String {
    let ways = members.iter().enumerate().map(|(number, member)| {
        let port = member.etcd_port;
        format!(
            "listen etcd{number}\n    mode tcp\n    bind 127.0.0.1:{port}\n    server etcd 127.0.0.1:{etcd_port}\n"
        )
    });
    ways.collect()
}

/// Runs a command to its end.
fn ran(name: &str, command: &mut Command) -> Result<(), TrialError> {
    let output = command
        .output()
        .map_err(|cause| TrialError::Start(name.to_owned(), cause))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    Err(TrialError::NotReady(name.to_owned(), said))
}

/// The servers' certificate and its key.
fn certify(dir: &Path) -> Result<(), TrialError> {
    let mut openssl = as_unprivileged_user();
    openssl.current_dir(dir).args([
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
        "-keyout",
        "server.key",
        "-out",
        "server.pem",
    ]);
    ran("openssl", &mut openssl)
}

fn start_etcd(dir: &Path, port: u16, peer_port: u16) -> Result<Companion, TrialError> {
    let client = format!("http://127.0.0.1:{port}");
    let peer = format!("http://127.0.0.1:{peer_port}");
    let data = dir.join("etcd").display().to_string();
    let cluster = format!("etcd={peer}");
    let program = [
        "etcd",
        "--name",
        "etcd",
        "--data-dir",
        &data,
        "--listen-client-urls",
        &client,
        "--advertise-client-urls",
        &client,
        "--listen-peer-urls",
        &peer,
        "--initial-advertise-peer-urls",
        &peer,
        "--initial-cluster",
        &cluster,
    ];
    let etcd = Companion::start("etcd", dir, RunAs::Unprivileged, &program)?;
    etcd.wait_until(|| std::net::TcpStream::connect(("127.0.0.1", port)).is_ok())?;
    Ok(etcd)
}
