//! Both nodes are killed while their database fails, each at a moment of its own, and each is started again until it starts.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Duration, Instant, sleep};

use super::postgres::{CUT, FaultyServer, NODES};
use super::{LASTS, PAUSE, SufferedFaults, SufferingService, not_seen};
use crate::killed_nodes::Surroundings;
use harness::TrialError;
use harness::companion::open_to_all;
use harness::faulty_proxy::{FaultyProxy, NetworkState};
use harness::postgres::Postgres;
use harness::process::{CardformProcess, Program};
use harness::random::Random;

/// A node is killed so long after the beginning of a fault that ends by itself.
const RESTART: Duration = Duration::from_millis(1_500);
/// How long a killed node may take until it has started again: the fault, and some more.
const STARTED_WITHIN: Duration = Duration::from_mins(2);

/// Runs the trial in `dir`, with two nodes on PostgreSQL.
pub async fn on_killed_nodes(binary: &Path, dir: &Path, seed: u64) -> Result<SufferedFaults, TrialError> {
    open_to_all(dir)?;
    let postgres = Arc::new(Postgres::start_at_port()?);
    let name = postgres.new_database_name()?;
    let proxy = FaultyProxy::start(postgres.address()?).await?;
    let database = format!("postgres://postgres@{}/{name}?sslmode=disable", proxy.address);
    let program = Program::new(binary, dir);
    let around = Surroundings::start(&program, &database).await?;
    let (mut nodes, mut known) = (Vec::new(), Vec::new());
    for _ in 0..NODES {
        let node = RestartedNode::start(&program, around.arguments(&database)).await?;
        known.push(node.address.subscribe());
        nodes.push(node);
    }
    let mut nodes = KilledNodes {
        nodes,
        chance: Random::new(seed),
    };
    let mut service = SufferingService::start_at(known, around, Vec::new(), seed).await?;
    let server = FaultyServer { postgres, name };

    let cut = async |state, lasts| {
        proxy.set(state);
        sleep(lasts).await;
        match proxy.set(NetworkState::Carries) {
            0 => Err(not_seen("a fault of the network", "nothing was on it")),
            touched => Ok(touched),
        }
    };
    service
        .suffer(
            "the network to PostgreSQL is cut, and both nodes are killed meanwhile",
            async || {
                let fault = cut(NetworkState::Cut, CUT);
                let (touched, deaths) = nodes.die_during(fault, CUT).await?;
                Ok(format!(
                    "{touched} connections cut in {} s; {deaths}",
                    CUT.as_secs()
                ))
            },
        )
        .await?;
    service
        .suffer(
            "PostgreSQL dies and is started again (`-m immediate`), and both nodes are killed meanwhile",
            async || {
                let (restarted, deaths) = nodes.die_during(server.restart("immediate"), RESTART).await?;
                Ok(format!("{restarted}; {deaths}"))
            },
        )
        .await?;
    service
        .suffer("it is silent, and both nodes are killed meanwhile", async || {
            let fault = cut(NetworkState::Silent, LASTS);
            let (touched, deaths) = nodes.die_during(fault, LASTS).await?;
            Ok(format!(
                "{touched} messages held up in {} s; {deaths}",
                LASTS.as_secs()
            ))
        })
        .await?;
    service
        .suffer(
            "it is read-only, and both nodes are killed meanwhile",
            async || {
                let (shown, deaths) = nodes.die_during(server.read_only(), LASTS).await?;
                Ok(format!("{shown}; {deaths}"))
            },
        )
        .await?;
    service.end().await
}

/// The nodes, which die at random moments.
struct KilledNodes {
    nodes: Vec<RestartedNode>,
    chance: Random,
}

impl KilledNodes {
    /// Lets the fault happen, and kills each node once within this time of its beginning. Returns what the fault returned,
    /// and the deaths in words.
    async fn die_during<T>(
        &mut self,
        fault: impl Future<Output = Result<T, TrialError>>,
        within: Duration,
    ) -> Result<(T, String), TrialError> {
        let end = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
        let mut moment = || Duration::from_millis(self.chance.between(0, end));
        let moments = [moment(), moment()];
        let [first, second] = self.nodes.as_mut_slice() else {
            return Err(not_seen("two deaths", "there are not two nodes"));
        };
        let (seen, one, other) = tokio::join!(fault, first.die(moments[0]), second.die(moments[1]));
        let started = one?.max(other?).as_secs_f64();
        let [one, other] = moments.map(|moment| moment.as_secs_f64());
        let deaths =
            format!("the nodes died after {one:.1} s and {other:.1} s, and ran again after {started:.1} s");
        Ok((seen?, deaths))
    }
}

/// A node that is started again until it starts, as a supervisor does.
struct RestartedNode {
    program: Program,
    arguments: Vec<String>,
    address: watch::Sender<String>,
    process: Option<CardformProcess>,
}

impl RestartedNode {
    async fn start(program: &Program, arguments: Vec<String>) -> Result<Self, TrialError> {
        let process = program.serve_aside(arguments.clone()).await?;
        Ok(Self {
            program: program.clone(),
            arguments,
            address: watch::Sender::new(process.url.clone()),
            process: Some(process),
        })
    }

    /// SIGKILL after so long, and then it is started again. Returns how long all of it took.
    async fn die(&mut self, after: Duration) -> Result<Duration, TrialError> {
        let begin = Instant::now();
        sleep(after).await;
        self.process = None;
        loop {
            match self.program.serve_aside(self.arguments.clone()).await {
                Ok(process) => {
                    self.address.send_replace(process.url.clone());
                    self.process = Some(process);
                    return Ok(begin.elapsed());
                }
                Err(error) if begin.elapsed() > STARTED_WITHIN => return Err(error),
                // The database is not there yet.
                Err(_) => sleep(PAUSE).await,
            }
        }
    }
}
