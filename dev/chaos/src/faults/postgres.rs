//! Faults of a PostgreSQL server and of the network before it, with two nodes.

use std::sync::Arc;

use anyhow::{Result, ensure};
use harness::companion::run;
use harness::faulty_proxy::{FaultyProxy, NetworkState};
use harness::postgres::Postgres;
use harness::postgres_programs::{USER, is_root};
use harness::process::Program;
use harness::random::Random;
use harness::waiting::happens_within;
use tokio::task::spawn_blocking;
use tokio::time::{Duration, Instant, sleep};

use crate::node::Node;
use crate::small_disk::SmallDisk;
use crate::suffering::{LASTS, SufferingService};
use crate::surroundings::Surroundings;

/// The database has 10 at the beginning, and grows by one or two.
const DISK_MEGABYTES: u64 = 48;
/// The pause between two times that sessions are ended.
const PAUSE: Duration = Duration::from_millis(250);
/// How long sessions are ended, and the network is cut.
const CUT: Duration = Duration::from_secs(5);
/// How long the server is silent: longer than a statement may take.
const SILENT: Duration = Duration::from_secs(25);
/// How long until a full disk must be noticed: until then there is some room in the tables.
const FULL_NOTICED_WITHIN: Duration = Duration::from_secs(60);
/// In this time after the beginning of a restart a node is killed.
const RESTART: Duration = Duration::from_millis(1_500);
/// How long a killed node may take until it has started again: the fault, and some more.
const STARTED_WITHIN: Duration = Duration::from_mins(2);

/// The faults one after another.
pub(super) async fn drill(program: Program, seed: u64) -> Result<()> {
    let disk = if is_root() {
        Some(SmallDisk::mount(&program.dir, DISK_MEGABYTES)?)
    } else {
        eprintln!("not tried, because only root can mount a small disk: PostgreSQL's disk is full");
        None
    };
    let server = FaultyServer::start(disk.as_ref()).await?;
    let (_nodes, mut service) = server.with_shoppers(program, seed).await?;
    let what = "PostgreSQL is restarted (`pg_ctl restart -m fast`)";
    service.suffer_database(what, server.restart("fast")).await?;
    let what = "PostgreSQL dies and is started again (`-m immediate`)";
    service.suffer_database(what, server.restart("immediate")).await?;
    let what = "its sessions are ended again and again (`pg_terminate_backend`)";
    service.suffer_database(what, server.end_sessions()).await?;
    let what = "the network to it is cut";
    let cut = server.network(NetworkState::Cut, CUT);
    service.suffer_database(what, cut).await?;
    let what = "it is silent: it takes everything and answers nothing";
    let silent = server.network(NetworkState::Silent, SILENT);
    service.suffer_database(what, silent).await?;
    let what = "it is read-only (`default_transaction_read_only`)";
    service.suffer_database(what, server.read_only()).await?;
    let what = "another session locks the table of attempts";
    service.suffer_database(what, server.lock()).await?;
    if let Some(disk) = &disk {
        let what = "its disk is full";
        service.suffer_database(what, server.fill(disk)).await?;
    }
    service.end().await
}

/// During each fault both nodes are killed, each at a moment of its own, and each is started again until it starts.
pub(super) async fn drill_with_killed_nodes(program: Program, seed: u64) -> Result<()> {
    let server = FaultyServer::start(None).await?;
    let (mut nodes, mut service) = server.with_shoppers(program, seed).await?;
    let mut chance = Random::new(seed);
    let cut = server.network(NetworkState::Cut, CUT);
    let deaths = killed_during(cut, CUT, &mut nodes, &mut chance);
    let what = "the network to PostgreSQL is cut, and both nodes are killed meanwhile";
    service.suffer(what, deaths).await?;
    let deaths = killed_during(server.restart("immediate"), RESTART, &mut nodes, &mut chance);
    let what = "PostgreSQL dies and is started again (`-m immediate`), and both nodes are killed meanwhile";
    service.suffer(what, deaths).await?;
    let silent = server.network(NetworkState::Silent, LASTS);
    let deaths = killed_during(silent, LASTS, &mut nodes, &mut chance);
    let what = "it is silent, and both nodes are killed meanwhile";
    service.suffer(what, deaths).await?;
    let deaths = killed_during(server.read_only(), LASTS, &mut nodes, &mut chance);
    let what = "it is read-only, and both nodes are killed meanwhile";
    service.suffer(what, deaths).await?;
    service.end().await
}

/// The fault happens, and each node is killed once within this time of its beginning.
async fn killed_during(
    fault: impl Future<Output = Result<String>>,
    within: Duration,
    nodes: &mut [Node; 2],
    chance: &mut Random,
) -> Result<String> {
    let end = u64::try_from(within.as_millis())?;
    let moments = [(); 2].map(|()| Duration::from_millis(chance.between(0, end)));
    let [first, second] = nodes;
    let (seen, one, other) = tokio::join!(
        fault,
        first.die(moments[0], STARTED_WITHIN),
        second.die(moments[1], STARTED_WITHIN)
    );
    let [one_died, other_died] = moments.map(|moment| moment.as_secs_f64());
    Ok(format!(
        "{}; the nodes died after {one_died:.1} s and {other_died:.1} s, and ran again after {:.1} s",
        seen?,
        one?.max(other?).as_secs_f64()
    ))
}

/// A server behind a proxy, and a database of it.
struct FaultyServer {
    postgres: Arc<Postgres>,
    name: String,
    proxy: FaultyProxy,
}

impl FaultyServer {
    /// Starts a server, whose database is on this disk if there is one.
    async fn start(disk: Option<&SmallDisk>) -> Result<Self> {
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
        let proxy = FaultyProxy::start(postgres.address()?).await?;
        Ok(Self {
            postgres,
            name,
            proxy,
        })
    }

    /// Starts nodes behind the proxy, and shoppers.
    async fn with_shoppers(&self, program: Program, seed: u64) -> Result<([Node; 2], SufferingService)> {
        let (address, name) = (self.proxy.address, &self.name);
        let database = format!("postgres://postgres@{address}/{name}?sslmode=disable");
        let around = Surroundings::start(program, &database).await?;
        let nodes = [around.node().await?, around.node().await?];
        let addresses = nodes.iter().map(|node| node.url.clone()).collect();
        let service = SufferingService::start(around, addresses, seed).await?;
        Ok((nodes, service))
    }

    /// The network is in this state for this time.
    async fn network(&self, state: NetworkState, lasts: Duration) -> Result<String> {
        self.proxy.set(state);
        sleep(lasts).await;
        let (count, seconds) = (self.proxy.set(NetworkState::Carries), lasts.as_secs());
        ensure!(count > 0, "the network had a fault while it carried nothing");
        Ok(format!("{count} connections or messages met it in {seconds} s"))
    }

    /// Asks on a thread that may block.
    async fn ask(&self, sql: impl Into<String>) -> Result<String> {
        let (postgres, name, sql) = (Arc::clone(&self.postgres), self.name.clone(), sql.into());
        spawn_blocking(move || postgres.ask(&name, &sql)).await?
    }

    async fn restart(&self, mode: &'static str) -> Result<String> {
        const STARTED: &str = "SELECT pg_postmaster_start_time()";
        let before = self.ask(STARTED).await?;
        let postgres = Arc::clone(&self.postgres);
        spawn_blocking(move || postgres.restart(mode)).await??;
        ensure!(self.ask(STARTED).await? != before, "the server was not restarted");
        Ok("the server has another start time".to_owned())
    }

    async fn end_sessions(&self) -> Result<String> {
        const END: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let until = Instant::now() + CUT;
        let mut ended = 0;
        while Instant::now() < until {
            ended += self.ask(END).await?.parse::<u64>()?;
            sleep(PAUSE).await;
        }
        ensure!(ended > 0, "there was no session to end");
        Ok(format!("{ended} sessions ended in {} s", CUT.as_secs()))
    }

    async fn read_only(&self) -> Result<String> {
        self.ask("ALTER SYSTEM SET default_transaction_read_only = on")
            .await?;
        self.ask("SELECT pg_reload_conf()").await?;
        sleep(LASTS).await;
        let shown = self.ask("SHOW default_transaction_read_only").await?;
        self.ask("ALTER SYSTEM RESET default_transaction_read_only")
            .await?;
        self.ask("SELECT pg_reload_conf()").await?;
        ensure!(shown == "on", "the database was not read-only");
        Ok(format!("the setting was on for {} s", LASTS.as_secs()))
    }

    async fn lock(&self) -> Result<String> {
        let seconds = LASTS.as_secs();
        let lock = format!(
            "BEGIN; LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({seconds}); COMMIT"
        );
        let waiting = async {
            sleep(LASTS / 2).await;
            self.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                .await
        };
        let (held, waiting) = tokio::join!(self.ask(lock), waiting);
        held?;
        let waiting = waiting?;
        ensure!(waiting != "0", "no session waited for the locked table");
        Ok(format!("{waiting} sessions waited, for {seconds} s"))
    }

    async fn fill(&self, disk: &SmallDisk) -> Result<String> {
        disk.fill()?;
        let is_refused = async || Ok(self.postgres.log().contains("No space left on device"));
        let was_refused = happens_within(FULL_NOTICED_WITHIN, is_refused).await?;
        ensure!(was_refused, "the server had room on the full disk");
        sleep(LASTS).await;
        disk.empty()?;
        Ok("the server's log says `No space left on device`".to_owned())
    }
}
