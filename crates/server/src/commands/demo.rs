//! `cardform demo`: the service with a simulator and a shop, ready to be tried.

use serde_json::json;

use super::{Output, line, start_telemetry};
use crate::cli::DemoArgs;
use crate::clock::Clock;
use crate::config::{Config, Logging};
use crate::demo_mode::DEMO_PARTNER_ID;
use crate::listener::asked_to_end;
use crate::service::Service;
use crate::simulator::cards::TEST_CARDS;

pub(super) async fn run(args: DemoArgs, logging: &Logging, output: Output) -> Result<(), String> {
    let config = Config::demo(args.settings, &args.data).map_err(line)?;
    let traces = start_telemetry(logging, &config)?;
    let service = Service::start(config, Clock::system()).await.map_err(line)?;
    let url = service.url();
    let shop = format!("{}/demo", service.app.public_url);
    let secret_key = service
        .app
        .demo
        .as_ref()
        .map_or("", |demo| demo.secret_key.as_str());
    output.say(
        &json!({ "listening": url, "secret_key": secret_key, "partner_id": DEMO_PARTNER_ID, "shop": shop }),
        &format!(
            "listening on {url}\nshop        {shop}\npartner id  {DEMO_PARTNER_ID}\nsecret key  {secret_key}\n\n{}",
            test_cards()
        ),
    )?;
    asked_to_end().await.map_err(line)?;
    service.stop().await;
    if let Some(traces) = traces {
        traces.end().await;
    }
    Ok(())
}

/// The cards to try the shop with, one per line.
fn test_cards() -> String {
    let lines = TEST_CARDS
        .iter()
        .map(|card| format!("{:<19}  {}", card.number, card.label));
    lines.collect::<Vec<_>>().join("\n")
}
