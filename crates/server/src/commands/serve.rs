//! `cardform serve`: the service in production.

use model::clock::Clock;
use serde_json::json;

use super::{Output, line, start_telemetry};
use crate::cli::ServeArgs;
use crate::http::listener::asked_to_end_or_reload;
use crate::service::{Service, store_must_exist};
use crate::telemetry::Logging;

pub(super) async fn run(args: ServeArgs, logging: &Logging, output: Output) -> Result<(), String> {
    let config = args.settings.resolve().map_err(line)?;
    let traces = start_telemetry(logging, &config)?;
    if !args.create {
        store_must_exist(&config).await.map_err(line)?;
    }
    let service = Service::start(config, Clock::system()).await.map_err(line)?;
    let url = service.url();
    output.say(&json!({ "listening": url }), &format!("listening on {url}"))?;
    asked_to_end_or_reload(|| service.reload()).await.map_err(line)?;
    service.drain().await;
    service.stop().await;
    if let Some(traces) = traces {
        traces.end().await;
    }
    Ok(())
}
