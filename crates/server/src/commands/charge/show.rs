//! `cardform charge show ID`: prints the story of a charge, for a person or, with `--json`, for a program.

use clap::Args;
use protocol::clock::rfc3339;
use serde_json::{Value, json};
use store::ChargeStory;

use super::super::{Failure, Output, open};
use crate::config::Settings;
use payments::desk::story::{StoryEvent, events, now, shown};

/// `cardform charge show`.
#[derive(Debug, Args)]
pub struct ChargeShow {
    /// The charge's id: ch_….
    #[arg(value_name = "ID")]
    pub id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// The width of a time: `2026-07-15T12:00:00.123Z`.
const TIME_WIDTH: usize = 24;
/// The width of the longest topic.
const TOPIC_WIDTH: usize = 8;

pub(super) async fn run(args: ChargeShow, output: Output) -> Result<(), Failure> {
    let (_, database) = open(args.settings).await?;
    let found = database.charge_story(&args.id).await?;
    database.close().await;
    let story = found.ok_or("there is no charge with this id")?;
    let events = events(&story);
    output.print(&document(&story, &events), &text(&story, &events))
}

fn document(story: &ChargeStory, events: &[StoryEvent]) -> Value {
    let charge = &story.charge;
    json!({
        "charge": {
            "id": charge.id,
            "partner_id": charge.partner_id,
            "status": charge.status,
            "decline_code": charge.decline_code,
            "amount_value": charge.amount_value,
            "amount_currency": charge.amount_currency,
            "item_code": shown(&charge.item_code),
            "item_name": shown(&charge.item_name),
            "partner_reference": shown(&charge.partner_reference),
            "created_at": rfc3339(charge.created_at),
            "updated_at": rfc3339(charge.updated_at),
        },
        "events": events.iter().map(StoryEvent::json).collect::<Vec<_>>(),
        "now": now(story),
    })
}

fn text(story: &ChargeStory, events: &[StoryEvent]) -> String {
    let charge = &story.charge;
    let mut lines = vec![
        format!("charge     {}  {}", charge.id, charge.status.as_str()),
        format!("merchant   {}", charge.partner_id),
        format!(
            "amount     {} {} for {} ({})",
            charge.amount_value,
            charge.amount_currency,
            shown(&charge.item_name),
            shown(&charge.item_code)
        ),
        format!("reference  {}", shown(&charge.partner_reference)),
        String::new(),
    ];
    lines.extend(events.iter().map(|event| {
        format!(
            "{:TIME_WIDTH$}  {:TOPIC_WIDTH$}  {}",
            rfc3339(event.at),
            event.topic,
            event.text
        )
    }));
    lines.push(String::new());
    lines.extend(now(story).into_iter().map(|line| format!("now: {line}")));
    lines.join("\n")
}
