//! Three PostgreSQL servers of which one is the primary: Patroni decides which, with etcd, and HAProxy leads there.
//! Replication is synchronous, and every connection of the service has TLS.

mod member;
mod patroni_version;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use harness::certificate::certify;
use harness::companion::{Companion, RunAs, open_to_all, output_of, run};
use harness::haproxy::HaProxy;
use harness::postgres::free_port;
use harness::postgres_programs::{USER, is_root, programs};
use tokio::time::{Duration, Instant, sleep};

use self::member::Member;
use self::patroni_version::check_patroni;

const MEMBERS: usize = 3;
/// The name under which etcd keeps the cluster.
const SCOPE: &str = "cardform";
/// The password of every user, who all live as long as the drill.
const PASSWORD: &str = "trial";
/// How long the cluster may take to be whole: its first start makes three databases.
const WHOLE_WITHIN: Duration = Duration::from_mins(3);
const PAUSE: Duration = Duration::from_millis(200);

/// How long the primary's lease lasts.
pub(crate) const LEASE_SECONDS: u64 = 8;

/// A running cluster; it ends when it is dropped.
pub(crate) struct Cluster {
    members: Vec<Member>,
    proxy: HaProxy,
    _etcd: Companion,
    programs: PathBuf,
    dir: PathBuf,
    port: u16,
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
            members.push(Member::new(dir, number)?);
        }
        let sections = members.iter().map(|member| member.way_to_etcd(etcd_port));
        let sections = primary_section(port, &members) + &sections.collect::<String>();
        let proxy = HaProxy::with(dir, "database-proxy", &sections)?;
        for member in &mut members {
            member.configure(&programs, SCOPE, PASSWORD)?;
            member.start()?;
        }
        let cluster = Self {
            members,
            proxy,
            _etcd: etcd,
            programs,
            dir: dir.to_owned(),
            port,
        };
        cluster.whole().await?;
        Ok(cluster)
    }

    /// The URL of a new, empty database at the primary, wherever that is.
    pub(crate) async fn new_database(&self, name: &str) -> Result<String> {
        let primary = &self.members[self.primary().await?];
        for sql in [
            format!("CREATE ROLE cardform LOGIN PASSWORD '{PASSWORD}'"),
            format!("CREATE DATABASE {name} OWNER cardform"),
        ] {
            let mut psql = Command::new(self.programs.join("psql"));
            psql.args([
                "-XqU",
                "postgres",
                "-v",
                "ON_ERROR_STOP=1",
                "-d",
                "postgres",
                "-h",
            ]);
            psql.arg(&self.dir)
                .args(["-p", &primary.port.to_string(), "-c", &sql]);
            output_of(&mut psql)?;
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
    pub(crate) async fn primary(&self) -> Result<usize> {
        let until = Instant::now() + WHOLE_WITHIN;
        loop {
            for (number, member) in self.members.iter().enumerate() {
                if member.says("primary").await {
                    return Ok(number);
                }
            }
            ensure!(Instant::now() < until, "the cluster has no primary");
            sleep(PAUSE).await;
        }
    }

    /// Waits until it has a primary, and the others follow it, one of them synchronously.
    pub(crate) async fn whole(&self) -> Result<()> {
        let until = Instant::now() + WHOLE_WITHIN;
        loop {
            let mut count = [0; 3];
            for member in &self.members {
                for (count, part) in count.iter_mut().zip(["primary", "replica", "synchronous"]) {
                    *count += usize::from(member.says(part).await);
                }
            }
            let [primaries, following, synchronous] = count;
            if (primaries, following) == (1, MEMBERS - 1) && synchronous > 0 {
                return Ok(());
            }
            ensure!(
                Instant::now() < until,
                "the cluster has {primaries} primaries, {following} followers, {synchronous} synchronous"
            );
            sleep(PAUSE).await;
        }
    }

    /// The member with this number.
    pub(crate) fn member(&mut self, number: usize) -> &mut Member {
        &mut self.members[number]
    }

    /// Cuts the member off from etcd; clients still reach its database.
    pub(crate) fn cut_off(&self, number: usize) -> Result<()> {
        self.proxy.ask(&format!("disable server etcd{number}/etcd"))?;
        self.proxy
            .ask(&format!("shutdown sessions server etcd{number}/etcd"))?;
        Ok(())
    }

    /// Connects the member to etcd again.
    pub(crate) fn reconnect(&self, number: usize) -> Result<()> {
        self.proxy.ask(&format!("enable server etcd{number}/etcd"))?;
        Ok(())
    }

    /// Makes another member the primary, as an operator does it.
    pub(crate) fn switch_over(&self, number: usize) -> Result<()> {
        let mut patronictl = Command::new("patronictl");
        patronictl.arg("-c").arg(&self.members[number].settings);
        output_of(patronictl.args(["switchover", SCOPE, "--force"])).map(drop)
    }
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
    let program = format!(
        "etcd --name=etcd --data-dir={} --listen-client-urls={client} --advertise-client-urls={client} \
         --listen-peer-urls={peer} --initial-advertise-peer-urls={peer} --initial-cluster=etcd={peer}",
        dir.join("etcd").display()
    );
    let program: Vec<_> = program.split(' ').collect();
    let etcd = Companion::start("etcd", dir, RunAs::Unprivileged, &program)?;
    etcd.wait_until(|| std::net::TcpStream::connect(("127.0.0.1", port)).is_ok())?;
    Ok(etcd)
}
