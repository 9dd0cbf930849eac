//! `cardform demo`: the service with a simulator and a shop.

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use protocol::SecretSource;
use protocol::clock::rfc3339;
use serde_json::json;
#[cfg(feature = "traffic")]
use tokio::sync::watch;

use super::{Failure, Output, on_threads, start_telemetry};
use crate::config::{Config, Settings};
use crate::service::Service;
use crate::telemetry::Logging;
use demo::shop::demo_mode::{DEMO_PARTNER_ID, operator_key_file};
#[cfg(feature = "traffic")]
use demo::shop::traffic::Traffic;
use demo::simulator::cards::TEST_CARDS;
use demo::simulator::clock_of;
use web::Signals;

/// `cardform demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where the demo keeps its database, ledger and key.
    #[arg(long, value_name = "DIR", default_value = ".cardform")]
    pub data: PathBuf,
    /// Lets `POST /clock {"advance": "P7D"}` move the time, for tests of holds, refunds and disputes.
    #[arg(long)]
    pub clock: bool,
    /// Simulates shoppers who pay or give up, so that the operator's page has data.
    #[arg(long)]
    pub with_traffic: bool,
    /// How many shoppers come per minute.
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=6_000), requires = "with_traffic")]
    pub traffic_per_minute: u32,
    /// How many shoppers come in all [default: no limit].
    #[arg(long, value_name = "N", requires = "with_traffic")]
    pub traffic_shoppers: Option<u64>,
    /// The same seed gives the same shoppers.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "with_traffic")]
    pub traffic_seed: u64,
    /// The settings. The database is the demo's own.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) fn run(mut args: DemoArgs, logging: Logging, output: Output) -> Result<(), Failure> {
    let mut config = Config::demo(std::mem::take(&mut args.settings), &args.data)?;
    config.demo_clock = args.clock;
    on_threads(config.threads, serve(args, config, logging, output))
}

async fn serve(args: DemoArgs, config: Config, logging: Logging, output: Output) -> Result<(), Failure> {
    #[cfg(not(feature = "traffic"))]
    if args.with_traffic {
        return Err(Failure::from(
            "a release has no simulated shoppers: they are in builds with the feature `traffic`",
        ));
    }
    let traces = start_telemetry(&logging, &config)?;
    let mut signals = Signals::listen()?;
    // Without `--clock`, too: what was recorded after a move would be in the future.
    let clock = clock_of(Some(&args.data))?;
    if clock.ahead_ms() > 0 {
        tracing::warn!(
            now = rfc3339(clock.now_ms()),
            "the time of this demo was moved ahead"
        );
    }
    let service = tokio::select! {
        started = Service::start(config, clock) => started?,
        () = signals.end() => return Ok(()),
    };
    let url = service.url();
    let shop = format!("{}/demo", service.app.public_url);
    let secret_key = service
        .app
        .demo
        .as_ref()
        .map_or("", |demo| demo.mode.secret_key.as_str());
    let operator = format!("{}/operator", service.app.public_url);
    let operator_key = operator_key(&service, &args.data)?;
    output.print(
        &json!({
            "listening": url, "secret_key": secret_key, "partner_id": DEMO_PARTNER_ID, "shop": shop,
            "operator": operator, "operator_key": operator_key,
        }),
        &format!(
            "listening on {url}\nshop        {shop}\npartner id  {DEMO_PARTNER_ID}\nsecret key  {secret_key}\n\
             operator    {operator}\nits key     {operator_key}\n\n{}",
            test_cards()
        ),
    )?;
    #[cfg(feature = "traffic")]
    let (end, ended) = watch::channel(false);
    #[cfg(feature = "traffic")]
    let traffic = args.with_traffic.then(|| {
        let traffic = Traffic {
            origin: url.clone(),
            secret_key: secret_key.to_owned(),
            topic: service.app.config.events.topic.clone(),
            shoppers_per_minute: args.traffic_per_minute,
            shoppers_max: args.traffic_shoppers,
            seed: args.traffic_seed,
            pace_factor: 1.0,
        };
        tokio::spawn(traffic.run(ended))
    });
    signals.end().await;
    #[cfg(feature = "traffic")]
    if let Some(traffic) = traffic {
        end.send_replace(true);
        // If it panicked, there is nothing to wait for.
        let _ = traffic.await;
    }
    service.drain().await;
    service.stop().await;
    if let Some(traces) = traces {
        traces.end().await;
    }
    Ok(())
}

/// The key of the operator's page, to print it; empty if a setting gives another key than the demo's own.
fn operator_key(service: &Service, data: &Path) -> Result<String, std::io::Error> {
    match &service.app.config.operator_key {
        Some(SecretSource::File(file)) if *file == operator_key_file(data) => {
            Ok(std::fs::read_to_string(file)?.trim().to_owned())
        }
        _ => Ok(String::new()),
    }
}

/// The test cards, one per line.
fn test_cards() -> String {
    let lines = TEST_CARDS
        .iter()
        .map(|card| format!("{:<19}  {}", card.number, card.label()));
    lines.collect::<Vec<_>>().join("\n")
}
