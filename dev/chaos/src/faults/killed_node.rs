//! Both nodes are killed while their database fails, each at a moment of its own, and each is started again until it starts.

use std::path::Path;

use anyhow::Result;
use harness::faulty_proxy::NetworkState;
use harness::random::Random;
use tokio::time::Duration;

use super::postgres::{CUT, FaultyServer, start_behind_proxy};
use super::{LASTS, SufferedFaults};
use crate::node::Node;

/// A node is killed so long after the beginning of a fault that ends by itself.
const RESTART: Duration = Duration::from_millis(1_500);
/// How long a killed node may take until it has started again: the fault, and some more.
const STARTED_WITHIN: Duration = Duration::from_mins(2);

/// Runs the drill in `dir`, with two nodes on PostgreSQL.
pub(super) async fn drill(binary: &Path, dir: &Path, seed: u64, all: &mut SufferedFaults) -> Result<()> {
    let (server, mut nodes, mut service) =
        start_behind_proxy(binary, dir, seed, all, FaultyServer::start(None)?).await?;
    let mut deaths = Deaths(Random::new(seed));
    service
        .suffer(
            "the network to PostgreSQL is cut, and both nodes are killed meanwhile",
            async || {
                deaths
                    .during(&mut nodes, server.network(NetworkState::Cut, CUT), CUT)
                    .await
            },
        )
        .await?;
    service
        .suffer(
            "PostgreSQL dies and is started again (`-m immediate`), and both nodes are killed meanwhile",
            async || {
                deaths
                    .during(&mut nodes, server.restart("immediate"), RESTART)
                    .await
            },
        )
        .await?;
    service
        .suffer("it is silent, and both nodes are killed meanwhile", async || {
            let silent = server.network(NetworkState::Silent, LASTS);
            deaths.during(&mut nodes, silent, LASTS).await
        })
        .await?;
    service
        .suffer(
            "it is read-only, and both nodes are killed meanwhile",
            async || deaths.during(&mut nodes, server.read_only(), LASTS).await,
        )
        .await?;
    service.end(4).await
}

/// Chooses the moments at which the nodes die.
struct Deaths(Random);

impl Deaths {
    /// Lets the fault happen, and kills each node once within this time of its beginning. Returns how both were seen.
    async fn during(
        &mut self,
        nodes: &mut [Node],
        fault: impl Future<Output = Result<String>>,
        within: Duration,
    ) -> Result<String> {
        let end = u64::try_from(within.as_millis())?;
        let mut moment = || Duration::from_millis(self.0.between(0, end));
        let [first, second] = nodes else {
            anyhow::bail!("there are not two nodes");
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
}
