//! `cardform simulator`: the provider's simulator as a process of its own.

use std::sync::Arc;
use std::time::Duration;

use model::clock::Clock;
use serde_json::json;

use super::{Output, one_line};
use crate::cli::SimulatorArgs;
use crate::config::reachable;
use crate::http::connection::TimeLimits;
use crate::http::listener::{Listening, bind};
use crate::http::signals::Signals;
use crate::simulator::{Simulator, router};

/// How long the stopping simulator waits for answers under way, in addition to its latency.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

pub(super) async fn run(args: SimulatorArgs, output: Output) -> Result<(), String> {
    let mut signals = Signals::listen().map_err(one_line)?;
    let listener = bind(args.listen).await.map_err(one_line)?;
    let address = listener.local_addr().map_err(one_line)?;
    let latency = Duration::from_millis(args.latency);
    let pages = args.public_url.map_or_else(
        || format!("http://{}", reachable(address)),
        |url| url.trim_end_matches('/').to_owned(),
    );
    let simulator =
        Simulator::open(args.data.as_deref(), latency, Clock::system(), pages).map_err(one_line)?;
    let server = Listening::serve(listener, None, router(Arc::new(simulator)), TimeLimits::default());
    let url = format!("http://{address}");
    output.print(&json!({ "listening": url }), &format!("listening on {url}"))?;
    signals.end().await;
    server.stop(latency + DRAIN_LIMIT).await;
    Ok(())
}
