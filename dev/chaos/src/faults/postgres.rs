//! Faults of a PostgreSQL server and of the network before it, with two nodes.

use std::pin::Pin;
use std::sync::Arc;

use anyhow::{Result, bail};
use harness::companion::run;
use harness::faulty_proxy::{FaultyProxy, NetworkState};
use harness::postgres::Postgres;
use harness::postgres_programs::{USER, is_root};
use harness::process::Program;
use harness::random::Random;
use tokio::task::spawn_blocking;
use tokio::time::{Duration, Instant, sleep};

use crate::node::Node;
use crate::small_disk::SmallDisk;
use crate::suffering::{LASTS, PAUSE, SufferingService, not_seen, seen_within};
use crate::surroundings::Surroundings;

const NODES: usize = 2;
/// The database has 10 at the beginning, and grows by one or two.
const DISK_MEGABYTES: u64 = 48;
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

/// A fault that happens and ends. It returns how it was seen.
type Fault<'a> = Pin<Box<dyn Future<Output = Result<String>> + 'a>>;

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
    let faults: [(&str, Fault<'_>); 7] = [
        (
            "PostgreSQL is restarted (`pg_ctl restart -m fast`)",
            Box::pin(server.restart("fast")),
        ),
        (
            "PostgreSQL dies and is started again (`-m immediate`)",
            Box::pin(server.restart("immediate")),
        ),
        (
            "its sessions are ended again and again (`pg_terminate_backend`)",
            Box::pin(server.end_sessions()),
        ),
        (
            "the network to it is cut",
            Box::pin(server.network(NetworkState::Cut, CUT)),
        ),
        (
            "it is silent: it takes everything and answers nothing",
            Box::pin(server.network(NetworkState::Silent, SILENT)),
        ),
        (
            "it is read-only (`default_transaction_read_only`)",
            Box::pin(server.read_only()),
        ),
        (
            "another session locks the table of attempts",
            Box::pin(server.lock()),
        ),
    ];
    for (what, fault) in faults {
        service.suffer_database(what, fault).await?;
    }
    if let Some(disk) = &disk {
        service
            .suffer_database("its disk is full", server.fill(disk))
            .await?;
    }
    service.end().await
}

/// During each fault both nodes are killed, each at a moment of its own, and each is started again until it starts.
pub(super) async fn drill_with_killed_nodes(program: Program, seed: u64) -> Result<()> {
    let server = FaultyServer::start(None).await?;
    let (mut nodes, mut service) = server.with_shoppers(program, seed).await?;
    let mut chance = Random::new(seed);
    let faults: [(&str, Duration, Fault<'_>); 4] = [
        (
            "the network to PostgreSQL is cut",
            CUT,
            Box::pin(server.network(NetworkState::Cut, CUT)),
        ),
        (
            "PostgreSQL dies and is started again (`-m immediate`)",
            RESTART,
            Box::pin(server.restart("immediate")),
        ),
        (
            "it is silent",
            LASTS,
            Box::pin(server.network(NetworkState::Silent, LASTS)),
        ),
        ("it is read-only", LASTS, Box::pin(server.read_only())),
    ];
    for (what, within, fault) in faults {
        let what = format!("{what}, and both nodes are killed meanwhile");
        let deaths = killed_during(fault, within, &mut nodes, &mut chance);
        service.suffer(&what, deaths).await?;
    }
    service.end().await
}

/// The fault happens, and each node is killed once within this time of its beginning.
async fn killed_during(
    fault: Fault<'_>,
    within: Duration,
    nodes: &mut [Node],
    chance: &mut Random,
) -> Result<String> {
    let end = u64::try_from(within.as_millis())?;
    let mut moment = || Duration::from_millis(chance.between(0, end));
    let [first, second] = nodes else {
        bail!("there are not two nodes");
    };
    let moments = [moment(), moment()];
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
    async fn with_shoppers(&self, program: Program, seed: u64) -> Result<(Vec<Node>, SufferingService)> {
        let (address, name) = (self.proxy.address, &self.name);
        let database = format!("postgres://postgres@{address}/{name}?sslmode=disable");
        let around = Surroundings::start(program, &database).await?;
        let nodes = around.nodes(NODES).await?;
        let addresses = nodes.iter().map(Node::address).collect();
        let service = SufferingService::start(around, addresses, seed).await?;
        Ok((nodes, service))
    }

    /// The network is in this state for this time.
    async fn network(&self, state: NetworkState, lasts: Duration) -> Result<String> {
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
    async fn ask(&self, sql: impl Into<String>) -> Result<String> {
        let (postgres, name, sql) = (Arc::clone(&self.postgres), self.name.clone(), sql.into());
        spawn_blocking(move || postgres.ask(&name, &sql)).await?
    }

    async fn restart(&self, mode: &'static str) -> Result<String> {
        const STARTED: &str = "SELECT pg_postmaster_start_time()";
        let before = self.ask(STARTED).await?;
        let postgres = Arc::clone(&self.postgres);
        spawn_blocking(move || postgres.restart(mode)).await??;
        if self.ask(STARTED).await? == before {
            bail!(not_seen("a restart", "it is the same server"));
        }
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
        match ended {
            0 => bail!(not_seen("ended sessions", "there was none")),
            ended => Ok(format!("{ended} sessions ended in {} s", CUT.as_secs())),
        }
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
        if shown != "on" {
            bail!(not_seen("a read-only database", &shown));
        }
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
        match waiting?.as_str() {
            "0" => bail!(not_seen("a locked table", "no session waited for it")),
            waiting => Ok(format!("{waiting} sessions waited, for {seconds} s")),
        }
    }

    async fn fill(&self, disk: &SmallDisk) -> Result<String> {
        disk.fill()?;
        let is_refused = async || Ok(self.postgres.log().contains("No space left on device"));
        let was_refused = seen_within(FULL_NOTICED_WITHIN, is_refused).await?;
        if was_refused {
            sleep(LASTS).await;
        }
        disk.empty()?;
        if !was_refused {
            bail!(not_seen("a full disk", "the server had room"));
        }
        Ok("the server's log says `No space left on device`".to_owned())
    }
}
