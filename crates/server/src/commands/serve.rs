//! `cardform serve`: the service in production.

use model::clock::Clock;
use serde_json::json;

use super::{Output, on_threads, one_line, start_telemetry};
use crate::cli::ServeArgs;
use crate::config::Config;
use crate::http::signals::Signals;
use crate::service::{Service, check_store_exists};
use crate::telemetry::Logging;

pub(super) fn run(args: ServeArgs, logging: Logging, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(one_line)?;
    on_threads(config.threads, serve(config, args.create, logging, output))
}

async fn serve(config: Config, may_create: bool, logging: Logging, output: Output) -> Result<(), String> {
    let traces = start_telemetry(&logging, &config)?;
    if !may_create {
        check_store_exists(&config).await.map_err(one_line)?;
    }
    let mut signals = Signals::listen().map_err(one_line)?;
    let service = tokio::select! {
        started = Service::start(config, Clock::system()) => started.map_err(one_line)?,
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
