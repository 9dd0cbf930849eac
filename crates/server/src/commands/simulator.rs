//! `cardform simulator`: the provider's simulator as a process of its own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use protocol::clock::Clock;
use serde_json::json;

use super::{Failure, Output};
use crate::config::reachable;
use demo::simulator::{Simulator, router};
use web::connection::TimeLimits;
use web::listener::{Listening, bind};
use web::signals::Signals;

/// `cardform simulator`.
#[derive(Debug, Args)]
pub struct SimulatorArgs {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    pub listen: SocketAddr,
    /// Where the ledger is kept [default: in memory].
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// How long each answer to a payment is delayed, in milliseconds. The payment is in the ledger before.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub latency: u64,
    /// The address of its challenge pages for shoppers' browsers [default: the listening address].
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
}

/// How long the stopping simulator waits for answers under way, in addition to its latency.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

pub(super) async fn run(args: SimulatorArgs, output: Output) -> Result<(), Failure> {
    let mut signals = Signals::listen()?;
    let listener = bind(args.listen).await?;
    let address = listener.local_addr()?;
    let latency = Duration::from_millis(args.latency);
    let pages = args.public_url.map_or_else(
        || format!("http://{}", reachable(address)),
        |url| url.trim_end_matches('/').to_owned(),
    );
    let simulator = Simulator::open(args.data.as_deref(), latency, Clock::system(), pages)?;
    let server = Listening::serve(listener, None, router(Arc::new(simulator)), TimeLimits::default());
    let url = format!("http://{address}");
    output.print(&json!({ "listening": url }), &format!("listening on {url}"))?;
    signals.end().await;
    server.stop(latency + DRAIN_LIMIT).await;
    Ok(())
}
