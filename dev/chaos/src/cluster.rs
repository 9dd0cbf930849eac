//! Three PostgreSQL servers of which one is the primary: Patroni chooses the primary, with etcd, and HAProxy leads to it.
//! Replication is synchronous, and every connection of the service has TLS.

mod member;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use harness::certificate::certify;
use harness::companion::{Companion, RunAs, open_to_all, output_of, run};
use harness::haproxy::HaProxy;
use harness::postgres::free_port;
use harness::postgres_programs::{USER, is_root, programs};
use harness::waiting::happens_within;
use tokio::time::Duration;

use self::member::Member;

const MEMBERS: usize = 3;
const PATRONI_MAJOR_MIN: u32 = 4;
/// The name under which etcd keeps the cluster.
const SCOPE: &str = "cardform";
/// The password of every user of the drill's databases.
const PASSWORD: &str = "trial";
/// How long the cluster may take to be whole: its first start makes three databases.
const WHOLE_WITHIN: Duration = Duration::from_mins(3);

/// How long the primary's lease lasts.
pub(crate) const LEASE_SECONDS: u64 = 8;

/// A running cluster; it ends when it is dropped.
pub(crate) struct Cluster {
    pub(crate) members: Vec<Member>,
    /// The URL of an empty database. It leads to the current primary.
    pub(crate) database: String,
    _proxy: HaProxy,
    _etcd: Companion,
}

impl Cluster {
    /// Starts it in this folder, and waits until it is whole.
    pub(crate) async fn start(dir: &Path) -> Result<Self> {
        open_to_all(dir)?;
        check_patroni()?;
        let programs = programs()?;
        let [certificate, key] = ["server.pem", "server.key"].map(|name| dir.join(name));
        certify(&certificate, &key)?;
        if is_root() {
            run(&format!("chown {USER} {}", key.display()))?;
        }
        let (etcd_port, port) = (free_port()?, free_port()?);
        let etcd = start_etcd(dir, etcd_port)?;
        let mut members = Vec::new();
        for number in 0..MEMBERS {
            members.push(Member::new(dir, number, ([127, 0, 0, 1], etcd_port).into(), &programs).await?);
        }
        let proxy = HaProxy::with(dir, "database-proxy", &primary_section(port, &members))?;
        for member in &mut members {
            member.start()?;
        }
        let root = certificate.display().to_string().replace('/', "%2F");
        let cluster = Self {
            members,
            database: format!(
                "postgres://cardform:{PASSWORD}@localhost:{port}/pay?sslmode=verify-full&sslrootcert={root}"
            ),
            _proxy: proxy,
            _etcd: etcd,
        };
        cluster.whole().await?;
        let primary = &cluster.members[cluster.primary().await?];
        for sql in [
            format!("CREATE ROLE cardform LOGIN PASSWORD '{PASSWORD}'"),
            "CREATE DATABASE pay OWNER cardform".to_owned(),
        ] {
            let mut psql = Command::new(programs.join("psql"));
            psql.args(["-XqU", "postgres", "-d", "postgres", "-v", "ON_ERROR_STOP=1"]);
            psql.arg("-h").arg(dir);
            output_of(psql.args(["-p", &primary.port.to_string(), "-c", &sql]))?;
        }
        Ok(cluster)
    }

    /// The number of the primary, as soon as there is one.
    pub(crate) async fn primary(&self) -> Result<usize> {
        let mut primary = None;
        let is_chosen = async || {
            for (number, member) in self.members.iter().enumerate() {
                if member.says("primary").await {
                    primary = Some(number);
                }
            }
            Ok(primary.is_some())
        };
        happens_within(WHOLE_WITHIN, is_chosen).await?;
        primary.context("the cluster has no primary")
    }

    /// Waits until the cluster has a primary, and the other members follow it, one of them synchronously.
    pub(crate) async fn whole(&self) -> Result<()> {
        let mut count = [0; 3];
        let is_whole = async || {
            count = [0; 3];
            for member in &self.members {
                for (count, part) in count.iter_mut().zip(["primary", "replica", "synchronous"]) {
                    *count += usize::from(member.says(part).await);
                }
            }
            Ok(count[..2] == [1, MEMBERS - 1] && count[2] > 0)
        };
        let is_whole = happens_within(WHOLE_WITHIN, is_whole).await?;
        ensure!(
            is_whole,
            "the cluster's primaries, followers, and synchronous followers: {count:?}"
        );
        Ok(())
    }

    /// Makes another member the primary, as an operator does it.
    pub(crate) fn switch_over(&self, number: usize) -> Result<()> {
        let mut patronictl = Command::new("patronictl");
        patronictl.arg("-c").arg(&self.members[number].settings);
        output_of(patronictl.args(["switchover", SCOPE, "--force"])).map(drop)
    }
}

/// Refuses a Patroni that can lose confirmed charges. Patroni 3.0.2 writes the leader's key at etcd without comparing its
/// holder, so a primary that stood still takes the lead back from the next one, and charges that the next one confirmed are
/// lost (docs/reliability.md#a-primary-that-dies). 4.1.5 compares first.
fn check_patroni() -> Result<()> {
    let said = output_of(Command::new("patroni").arg("--version"))?;
    let version = said.strip_prefix("patroni ").unwrap_or_default();
    let major = version.split('.').next().unwrap_or_default();
    ensure!(
        major.parse().is_ok_and(|major: u32| major >= PATRONI_MAJOR_MIN),
        "`{said}` is not {PATRONI_MAJOR_MIN} or newer, and loses charges when a primary stood still. A newer one for every \
         user, and first on the path: `python3 -m venv /opt/patroni`, then \
         `/opt/patroni/bin/pip install 'patroni[etcd3,psycopg3]'`"
    );
    Ok(())
}

/// Leads to the member that is the primary. Connections to a former primary are closed.
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

fn start_etcd(dir: &Path, port: u16) -> Result<Companion> {
    let client = format!("http://127.0.0.1:{port}");
    let peer = format!("http://127.0.0.1:{}", free_port()?);
    let line = format!(
        "etcd --name=etcd --data-dir={} --listen-client-urls={client} --advertise-client-urls={client} \
         --listen-peer-urls={peer} --initial-advertise-peer-urls={peer} --initial-cluster=etcd={peer}",
        dir.join("etcd").display()
    );
    let etcd = Companion::start("etcd", dir, RunAs::Unprivileged, &line)?;
    etcd.wait_until(|| std::net::TcpStream::connect(("127.0.0.1", port)).is_ok())?;
    Ok(etcd)
}
