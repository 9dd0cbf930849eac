//! Faults of a PostgreSQL server, and of the network before it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tokio::time::{Duration, Instant, sleep};

use super::{LASTS, PAUSE, SufferedFaults, SufferingService, not_seen, seen_within};
use crate::killed_nodes::Surroundings;
use crate::small_disk::SmallDisk;
use harness::TrialError;
use harness::companion::open_to_all;
use harness::faulty_proxy::{FaultyProxy, NetworkState};
use harness::postgres::Postgres;
use harness::postgres_programs::{USER, is_root};
use harness::process::Program;

pub(super) const NODES: usize = 2;
/// The database has 10 at the beginning, and grows by one or two.
const DISK_MEGABYTES: u64 = 48;
/// How long sessions are ended, and the network is cut.
pub(super) const CUT: Duration = Duration::from_secs(5);
/// How long a call may wait for a silent database: a bit longer than a statement may take.
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);
/// How long until a full disk must be noticed: until then there is some room in the tables.
const FULL_NOTICED_WITHIN: Duration = Duration::from_secs(60);

/// Runs the trial in `dir`, with two nodes.
pub async fn on_postgres(binary: &Path, dir: &Path, seed: u64) -> Result<SufferedFaults, TrialError> {
    open_to_all(dir)?;
    let postgres = Arc::new(Postgres::start_at_port()?);
    let disk = if is_root() {
        Some(SmallDisk::mount(dir, DISK_MEGABYTES)?)
    } else {
        None
    };
    let name = match &disk {
        Some(disk) => database_on(disk, &postgres)?,
        None => postgres.new_database_name()?,
    };
    let proxy = FaultyProxy::start(postgres.address()?).await?;
    let database = format!("postgres://postgres@{}/{name}?sslmode=disable", proxy.address);
    let program = Program::new(binary, dir);
    let around = Surroundings::start(&program, &database).await?;
    let mut nodes = Vec::new();
    for _ in 0..NODES {
        nodes.push(program.serve_aside(around.arguments(&database)).await?);
    }
    let mut service = SufferingService::start(around, nodes, seed).await?;
    let server = FaultyServer { postgres, name };
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
    service
        .suffer_database(
            "its sessions are ended again and again (`pg_terminate_backend`)",
            async || server.end_sessions().await,
        )
        .await?;
    service
        .suffer_database("the network to it is cut", async || {
            proxy.set(NetworkState::Cut);
            sleep(CUT).await;
            match proxy.set(NetworkState::Carries) {
                0 => Err(not_seen("a cut network", "nobody was connected")),
                cut => Ok(format!("{cut} connections cut in {} s", CUT.as_secs())),
            }
        })
        .await?;
    let (merchant, url) = (service.around.merchant.clone(), service.nodes[0].url.clone());
    service
        .suffer_database(
            "it is silent: it takes everything and answers nothing",
            async || {
                proxy.set(NetworkState::Silent);
                let begin = Instant::now();
                let answer = merchant
                    .view(&url, "ch_unknown")
                    .await
                    .map(|answer| answer.status);
                let answered = begin.elapsed();
                proxy.set(NetworkState::Carries);
                if answer == Some(503) && answered < ANSWERED_WITHIN {
                    return Ok(format!(
                        "a call is answered 503 after {:.1} s",
                        answered.as_secs_f64()
                    ));
                }
                let seconds = answered.as_secs_f64();
                Err(TrialError::Books(vec![format!(
                    "a silent database: a call was answered {answer:?} after {seconds:.1} s"
                )]))
            },
        )
        .await?;
    service
        .suffer_database("it is read-only (`default_transaction_read_only`)", async || {
            server.read_only().await
        })
        .await?;
    service
        .suffer_database("another session locks the table of attempts", async || {
            server.lock().await
        })
        .await?;
    match &disk {
        Some(disk) => {
            service
                .suffer_database("its disk is full", async || server.fill(disk).await)
                .await?;
        }
        None => service
            .left_out
            .push("PostgreSQL's disk is full: only root can mount a small one".to_owned()),
    }
    service.end().await
}

/// The name of a new database on this disk.
fn database_on(disk: &SmallDisk, postgres: &Postgres) -> Result<String, TrialError> {
    let folder = disk.folder.join("tables");
    let failed = |cause| TrialError::Start("a small disk".to_owned(), cause);
    std::fs::create_dir(&folder).map_err(failed)?;
    let given = Command::new("chown").arg(USER).arg(&folder).status();
    given.map_err(failed)?;
    let create = format!("CREATE TABLESPACE small LOCATION '{}'", folder.display());
    postgres.ask("postgres", &create)?;
    postgres.ask("postgres", "CREATE DATABASE pay TABLESPACE small")?;
    Ok("pay".to_owned())
}

/// The server and the name of the database.
pub(super) struct FaultyServer {
    pub(super) postgres: Arc<Postgres>,
    pub(super) name: String,
}

impl FaultyServer {
    /// Asks on a thread where waiting holds up nobody.
    async fn ask(&self, sql: &'static str) -> Result<String, TrialError> {
        let (postgres, name) = (Arc::clone(&self.postgres), self.name.clone());
        let asked = tokio::task::spawn_blocking(move || postgres.ask(&name, sql));
        asked
            .await
            .map_err(|_| TrialError::Answer("a panic".to_owned()))?
    }

    pub(super) async fn restart(&self, mode: &'static str) -> Result<String, TrialError> {
        const STARTED: &str = "SELECT pg_postmaster_start_time()";
        let before = self.ask(STARTED).await?;
        let postgres = Arc::clone(&self.postgres);
        let restarted = tokio::task::spawn_blocking(move || postgres.restart(mode));
        restarted
            .await
            .map_err(|_| TrialError::Answer("a panic".to_owned()))??;
        if self.ask(STARTED).await? == before {
            return Err(not_seen("a restart", "it is the same server"));
        }
        Ok("the server has another start time".to_owned())
    }

    async fn end_sessions(&self) -> Result<String, TrialError> {
        let until = Instant::now() + CUT;
        let mut ended = 0;
        while Instant::now() < until {
            let count = self
                .ask(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                     WHERE datname = current_database() AND pid <> pg_backend_pid()",
                )
                .await?;
            ended += count.parse::<u64>().unwrap_or_default();
            sleep(PAUSE).await;
        }
        match ended {
            0 => Err(not_seen("ended sessions", "there was none")),
            ended => Ok(format!("{ended} sessions ended in {} s", CUT.as_secs())),
        }
    }

    pub(super) async fn read_only(&self) -> Result<String, TrialError> {
        const SHOW: &str = "SHOW default_transaction_read_only";
        self.ask("ALTER SYSTEM SET default_transaction_read_only = on")
            .await?;
        self.ask("SELECT pg_reload_conf()").await?;
        sleep(LASTS).await;
        let shown = self.ask(SHOW).await?;
        self.ask("ALTER SYSTEM RESET default_transaction_read_only")
            .await?;
        self.ask("SELECT pg_reload_conf()").await?;
        if shown != "on" {
            return Err(not_seen("a read-only database", &shown));
        }
        Ok(format!("the setting was on for {} s", LASTS.as_secs()))
    }

    async fn lock(&self) -> Result<String, TrialError> {
        let held = format!(
            "BEGIN; LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({}); COMMIT",
            LASTS.as_secs()
        );
        let failed = |cause| TrialError::Start("psql".to_owned(), cause);
        let mut holder = self
            .postgres
            .program("psql")
            .args(["-d", &self.name, "-qAtc", &held])
            .stdout(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let until = Instant::now() + LASTS * 2;
        let mut waited = 0;
        while holder.try_wait().map_err(failed)?.is_none() {
            if Instant::now() > until {
                let _ = holder.kill();
                return Err(not_seen("a locked table", "the lock does not come"));
            }
            let waiting = self
                .ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                .await?;
            waited = waited.max(waiting.parse().unwrap_or(0));
            sleep(PAUSE).await;
        }
        match waited {
            0 => Err(not_seen("a locked table", "nobody waited for it")),
            waited => Ok(format!(
                "up to {waited} sessions waited, for {} s",
                LASTS.as_secs()
            )),
        }
    }

    async fn fill(&self, disk: &SmallDisk) -> Result<String, TrialError> {
        disk.fill()?;
        let refused = seen_within(FULL_NOTICED_WITHIN, async || {
            let log = self.postgres.log();
            Ok(log.matches("No space left on device").count() as u64)
        })
        .await;
        if refused.is_ok() {
            sleep(LASTS).await;
        }
        disk.empty()?;
        match refused? {
            0 => Err(not_seen("a full disk", "the server had room")),
            _ => Ok("the server's log says `No space left on device`".to_owned()),
        }
    }
}
