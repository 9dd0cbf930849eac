//! `cardform serve`: the service in production.

use serde_json::json;

use super::{Output, line, start_telemetry};
use crate::clock::Clock;
use crate::config::{Logging, Settings};
use crate::listener::asked_to_end_or_reload;
use crate::service::Service;

pub(super) async fn run(settings: Settings, logging: &Logging, output: Output) -> Result<(), String> {
    let config = settings.resolve().map_err(line)?;
    let traces = start_telemetry(logging, &config)?;
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
