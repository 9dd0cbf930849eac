//! `cardform simulator`: the provider's simulator as a process of its own, and a list of what it can be made to do.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use protocol::DeclineCode;
use serde_json::json;

use super::{Failure, Output, UnusableArguments};
use crate::config::reachable;
use demo::simulator::cards::{TEST_CARDS, network_code};
use demo::simulator::scenarios::{DISPUTE_AFTER_DAYS, DISPUTE_DAYS, HOLD_DAYS, REFUND_SCENARIOS};
use demo::simulator::{ClockMover, Simulator, clock_of, clock_route, router};
use web::{Listening, Signals, TimeLimits, bind};

/// `cardform simulator`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SimulatorArgs {
    /// What to do in place of serving.
    #[command(subcommand)]
    pub command: Option<SimulatorCommand>,
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", required = true)]
    pub listen: Option<SocketAddr>,
    /// Where the ledger is kept [default: in memory].
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// How long each answer to a payment, refund, capture or release is delayed, in milliseconds. It is recorded before.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub latency: u64,
    /// The address of its challenge pages for shoppers' browsers [default: the listening address].
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
}

/// The commands of `cardform simulator`.
#[derive(Debug, Subcommand)]
pub enum SimulatorCommand {
    /// Prints what amounts and cards provoke.
    Scenarios,
}

/// How long the stopping simulator waits for answers under way, in addition to its latency.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

pub(super) async fn run(args: SimulatorArgs, output: Output) -> Result<(), Failure> {
    if let Some(SimulatorCommand::Scenarios) = args.command {
        return print_scenarios(output);
    }
    let listen = args
        .listen
        .ok_or_else(|| UnusableArguments("--listen is missing".to_owned()))?;
    let mut signals = Signals::listen()?;
    let listener = bind(listen).await?;
    let address = listener.local_addr()?;
    let latency = Duration::from_millis(args.latency);
    let pages = args.public_url.map_or_else(
        || format!("http://{}", reachable(address)),
        |url| url.trim_end_matches('/').to_owned(),
    );
    let data = args.data.as_deref();
    let clock = clock_of(data)?;
    let mover = ClockMover::new(clock.clone(), data);
    let simulator = Simulator::open(data, latency, clock, pages)?;
    let routes = router(Arc::new(simulator)).merge(clock_route(Arc::new(mover)));
    let server = Listening::serve(listener, None, routes, TimeLimits::default());
    let url = format!("http://{address}");
    output.print(&json!({ "listening": url }), &format!("listening on {url}"))?;
    signals.end().await;
    server.stop(latency + DRAIN_LIMIT).await;
    Ok(())
}

/// Prints the amounts and the cards that provoke something.
fn print_scenarios(output: Output) -> Result<(), Failure> {
    let refunds = REFUND_SCENARIOS
        .iter()
        .map(|scenario| json!({ "last_digits": scenario.last_digits, "what": scenario.text }));
    let cards = TEST_CARDS.iter().map(|card| {
        json!({
            "number": card.number,
            "what": card.label(),
            "decline_code": card.decline.map(DeclineCode::as_str),
            "network_code": card.decline.and_then(network_code),
            "funding": card.funding,
            "country": card.country,
        })
    });
    let value = json!({
        "hold_days": HOLD_DAYS,
        "dispute_after_days": DISPUTE_AFTER_DAYS,
        "dispute_days": DISPUTE_DAYS,
        "refunds": refunds.collect::<Vec<_>>(),
        "cards": cards.collect::<Vec<_>>(),
    });
    output.print(&value, &scenarios())
}

fn scenarios() -> String {
    let mut lines = vec![format!(
        "A hold that is not captured ends after {HOLD_DAYS} days.\n\
         A dispute begins {DISPUTE_AFTER_DAYS} days after the payment and takes {DISPUTE_DAYS} days."
    )];
    lines.push("\nA refund whose amount ends in".to_owned());
    lines.extend(
        REFUND_SCENARIOS
            .iter()
            .map(|scenario| format!("  {}  {}", scenario.last_digits, scenario.text)),
    );
    lines.push("\nA payment with the card".to_owned());
    lines.extend(TEST_CARDS.iter().map(|card| {
        let code = card.decline.and_then(network_code);
        let code = code.map_or_else(String::new, |code| format!(", network code {code}"));
        let (funding, country) = (card.funding, card.country);
        format!(
            "  {:<19}  {}{code} ({funding}, {country})",
            card.number,
            card.label()
        )
    }));
    lines.join("\n")
}
