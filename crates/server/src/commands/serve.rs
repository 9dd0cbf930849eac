//! `cardform serve`: the service in production.

use clap::Args;
use protocol::clock::Clock;
use serde_json::json;

use super::{Failure, Output, on_threads, start_telemetry};
use crate::config::{Config, Settings};
use crate::service::{Service, check_store_exists};
use crate::telemetry::Logging;
use web::Signals;

/// `cardform serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The service's settings.
    #[command(flatten)]
    pub settings: Settings,
    /// Creates the database if it is missing; without this, a missing database stops the start.
    #[arg(long)]
    pub create: bool,
}

pub(super) fn run(args: ServeArgs, logging: Logging, output: Output) -> Result<(), Failure> {
    let config = args.settings.resolve()?;
    on_threads(config.threads, serve(config, args.create, logging, output))
}

async fn serve(config: Config, may_create: bool, logging: Logging, output: Output) -> Result<(), Failure> {
    let traces = start_telemetry(&logging, &config)?;
    if !may_create {
        check_store_exists(&config).await?;
    }
    let mut signals = Signals::listen()?;
    let service = tokio::select! {
        started = Service::start(config, Clock::system()) => started?,
        () = signals.end() => return Ok(()),
    };
    let url = service.url();
    output.print(&json!({ "listening": url }), &format!("listening on {url}"))?;
    signals.reload_until_end(|| service.reload()).await;
    service.drain().await;
    service.stop().await;
    if let Some(traces) = traces {
        traces.end().await;
    }
    Ok(())
}
