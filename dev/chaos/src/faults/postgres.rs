//! Faults of a PostgreSQL server, and of the network before it.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Result, bail};
use harness::companion::{open_to_all, run};
use harness::faulty_proxy::{FaultyProxy, NetworkState};
use harness::postgres::Postgres;
use harness::postgres_programs::{USER, is_root};
use harness::process::Program;
use tokio::task::spawn_blocking;
use tokio::time::{Duration, Instant, sleep};

use super::{LASTS, PAUSE, SufferedFaults, SufferingService, not_seen, seen_within};
use crate::books::Contradictions;
use crate::killed_nodes::Surroundings;
use crate::node::Node;
use crate::small_disk::SmallDisk;

const NODES: usize = 2;
/// The database has 10 at the beginning, and grows by one or two.
const DISK_MEGABYTES: u64 = 48;
/// How long sessions are ended, and the network is cut.
pub(super) const CUT: Duration = Duration::from_secs(5);
/// How long a call may wait for a silent database: a bit longer than a statement may take.
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);
/// How long until a full disk must be noticed: until then there is some room in the tables.
const FULL_NOTICED_WITHIN: Duration = Duration::from_secs(60);

/// Runs the drill in `dir`, with two nodes.
pub(super) async fn drill(binary: &Path, dir: &Path, seed: u64, all: &mut SufferedFaults) -> Result<()> {
    let disk = if is_root() {
        Some(SmallDisk::mount(dir, DISK_MEGABYTES)?)
    } else {
        all.left_out
            .push("PostgreSQL's disk is full: only root can mount a small one");
        None
    };
    let server = FaultyServer::start(disk.as_ref())?;
    let (server, nodes, mut service) = start_behind_proxy(binary, dir, seed, all, server).await?;
    for (what, mode) in [
        ("PostgreSQL is restarted (`pg_ctl restart -m fast`)", "fast"),
        (
            "PostgreSQL dies and is started again (`-m immediate`)",
            "immediate",
        ),
    ] {
        service
            .suffer_database(what, async || server.restart(mode).await)
            .await?;
    }
    let what = "its sessions are ended again and again (`pg_terminate_backend`)";
    service
        .suffer_database(what, async || server.end_sessions().await)
        .await?;
    let what = "the network to it is cut";
    service
        .suffer_database(what, async || server.network(NetworkState::Cut, CUT).await)
        .await?;
    let (merchant, url) = (service.around.merchant.clone(), nodes[0].url());
    let what = "it is silent: it takes everything and answers nothing";
    service
        .suffer_database(what, async || {
            server.proxy.set(NetworkState::Silent);
            let begin = Instant::now();
            let answer = merchant
                .view(&url, "ch_unknown")
                .await
                .map(|answer| answer.status);
            let (answered, seconds) = (begin.elapsed(), begin.elapsed().as_secs_f64());
            server.proxy.set(NetworkState::Carries);
            if answer == Some(503) && answered < ANSWERED_WITHIN {
                return Ok(format!("a call is answered 503 after {seconds:.1} s"));
            }
            bail!(Contradictions::one(format!(
                "a silent database: a call was answered {answer:?} after {seconds:.1} s"
            )))
        })
        .await?;
    let what = "it is read-only (`default_transaction_read_only`)";
    service
        .suffer_database(what, async || server.read_only().await)
        .await?;
    let what = "another session locks the table of attempts";
    service
        .suffer_database(what, async || server.lock().await)
        .await?;
    if let Some(disk) = &disk {
        let what = "its disk is full";
        service
            .suffer_database(what, async || server.fill(disk).await)
            .await?;
    }
    service.end(8).await
}

/// A server behind a proxy, and a database of it.
pub(super) struct FaultyServer {
    postgres: Arc<Postgres>,
    name: String,
}

/// The same with the proxy.
pub(super) struct ProxiedServer {
    server: FaultyServer,
    proxy: FaultyProxy,
}

/// Starts a proxy before the server, two nodes behind it, and shoppers.
pub(super) async fn start_behind_proxy<'a>(
    binary: &Path,
    dir: &Path,
    seed: u64,
    all: &'a mut SufferedFaults,
    server: FaultyServer,
) -> Result<(ProxiedServer, Vec<Node>, SufferingService<'a>)> {
    open_to_all(dir)?;
    let proxy = FaultyProxy::start(server.postgres.address()?).await?;
    let database = format!(
        "postgres://postgres@{}/{}?sslmode=disable",
        proxy.address, server.name
    );
    let program = Program::new(binary, dir);
    let around = Surroundings::start(&program, &database).await?;
    let mut nodes = Vec::new();
    for _ in 0..NODES {
        nodes.push(Node::start(&program, around.node(&database)).await?);
    }
    let service = SufferingService::start(around, &nodes, seed, all).await?;
    Ok((ProxiedServer { server, proxy }, nodes, service))
}

impl FaultyServer {
    /// Starts a server, whose database is on this disk if there is one.
    pub(super) fn start(disk: Option<&SmallDisk>) -> Result<Self> {
        let postgres = Arc::new(Postgres::start_at_port()?);
        let name = match disk {
            None => postgres.new_database_name()?,
            Some(disk) => {
                let folder = disk.folder.join("tables");
                std::fs::create_dir(&folder)?;
                run(&format!("chown {USER} {}", folder.display()))?;
                let create = format!("CREATE TABLESPACE small LOCATION '{}'", folder.display());
                postgres.ask("postgres", &create)?;
                postgres.ask("postgres", "CREATE DATABASE pay TABLESPACE small")?;
                "pay".to_owned()
            }
        };
        Ok(Self { postgres, name })
    }
}

impl ProxiedServer {
    /// Lets the network do this for so long.
    pub(super) async fn network(&self, state: NetworkState, lasts: Duration) -> Result<String> {
        self.proxy.set(state);
        sleep(lasts).await;
        match self.proxy.set(NetworkState::Carries) {
            0 => bail!(not_seen("a fault of the network", "it carried nothing")),
            count => Ok(format!(
                "{count} connections or messages met it in {} s",
                lasts.as_secs()
            )),
        }
    }

    /// Asks on a thread that may block.
    async fn ask(&self, sql: &'static str) -> Result<String> {
        let (postgres, name) = (Arc::clone(&self.server.postgres), self.server.name.clone());
        spawn_blocking(move || postgres.ask(&name, sql)).await?
    }

    pub(super) async fn restart(&self, mode: &'static str) -> Result<String> {
        const STARTED: &str = "SELECT pg_postmaster_start_time()";
        let before = self.ask(STARTED).await?;
        let postgres = Arc::clone(&self.server.postgres);
        spawn_blocking(move || postgres.restart(mode)).await??;
        if self.ask(STARTED).await? == before {
            bail!(not_seen("a restart", "it is the same server"));
        }
        Ok("the server has another start time".to_owned())
    }

    async fn end_sessions(&self) -> Result<String> {
        let until = Instant::now() + CUT;
        let mut ended = 0;
        while Instant::now() < until {
            let count = self
                .ask(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                     WHERE datname = current_database() AND pid <> pg_backend_pid()",
                )
                .await?;
            ended += count.parse::<u64>()?;
            sleep(PAUSE).await;
        }
        match ended {
            0 => bail!(not_seen("ended sessions", "there was none")),
            ended => Ok(format!("{ended} sessions ended in {} s", CUT.as_secs())),
        }
    }

    pub(super) async fn read_only(&self) -> Result<String> {
        self.ask("ALTER SYSTEM SET default_transaction_read_only = on")
            .await?;
        self.ask("SELECT pg_reload_conf()").await?;
        sleep(LASTS).await;
        let shown = self.ask("SHOW default_transaction_read_only").await?;
        self.ask("ALTER SYSTEM RESET default_transaction_read_only")
            .await?;
        self.ask("SELECT pg_reload_conf()").await?;
        if shown != "on" {
            bail!(not_seen("a read-only database", &shown));
        }
        Ok(format!("the setting was on for {} s", LASTS.as_secs()))
    }

    async fn lock(&self) -> Result<String> {
        let held = format!(
            "BEGIN; LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({}); COMMIT",
            LASTS.as_secs()
        );
        let mut holder = self
            .server
            .postgres
            .program("psql")
            .args(["-d", &self.server.name, "-qAtc", &held])
            .stdout(Stdio::null())
            .spawn()?;
        let until = Instant::now() + LASTS * 2;
        let mut waited = 0_u64;
        while holder.try_wait()?.is_none() {
            if Instant::now() > until {
                let _ = holder.kill();
                bail!(not_seen("a locked table", "the lock does not come"));
            }
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
            waited = waited.max(self.ask(waiting).await?.parse()?);
            sleep(PAUSE).await;
        }
        match waited {
            0 => bail!(not_seen("a locked table", "no session waited for it")),
            waited => Ok(format!(
                "up to {waited} sessions waited, for {} s",
                LASTS.as_secs()
            )),
        }
    }

    async fn fill(&self, disk: &SmallDisk) -> Result<String> {
        disk.fill()?;
        let refused = seen_within(FULL_NOTICED_WITHIN, async || {
            let log = self.server.postgres.log();
            Ok(log.matches("No space left on device").count() as u64)
        })
        .await?;
        if refused > 0 {
            sleep(LASTS).await;
        }
        disk.empty()?;
        if refused == 0 {
            bail!(not_seen("a full disk", "the server had room"));
        }
        Ok("the server's log says `No space left on device`".to_owned())
    }
}
