//! The arguments of `cardform webhook`.

use std::net::SocketAddr;

use clap::{Args, Subcommand};

use crate::config::Settings;

/// `cardform webhook`.
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Sets the address to which a merchant's events are posted, and prints the secret that signs them.
    Set(Box<WebhookSet>),
    /// Removes a merchant's webhook; events that were not sent yet are given up.
    Remove(Box<WebhookRemove>),
    /// Lists events, the newest first.
    List(Box<WebhookList>),
    /// Sends events again.
    Replay(Box<WebhookReplay>),
    /// Receives events on this machine, checks and prints them. For developers.
    Listen(WebhookListen),
}

/// `cardform webhook set`.
#[derive(Debug, Args)]
pub struct WebhookSet {
    /// The merchant's id.
    #[arg(long)]
    pub partner_id: String,
    /// Where events are posted.
    #[arg(long)]
    pub url: String,
    /// Makes a new secret; otherwise an existing one does not change.
    #[arg(long)]
    pub new_secret: bool,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform webhook remove`.
#[derive(Debug, Args)]
pub struct WebhookRemove {
    /// The merchant's id.
    #[arg(long)]
    pub partner_id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// Which events a command is about.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ReplayedEvents {
    /// One event.
    #[arg(long = "event", value_name = "ID")]
    pub event_id: Option<String>,
    /// All events of a charge.
    #[arg(long = "charge", value_name = "ID")]
    pub charge_id: Option<String>,
    /// All events of a merchant.
    #[arg(long = "partner-id", value_name = "ID")]
    pub partner_id: Option<String>,
    /// The events of a merchant that were given up.
    #[arg(long = "given-up-of", value_name = "PARTNER_ID")]
    pub given_up_of: Option<String>,
}

/// `cardform webhook list`.
#[derive(Debug, Args)]
pub struct WebhookList {
    /// Which events.
    #[command(flatten)]
    pub events: ReplayedEvents,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u32,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform webhook replay`.
#[derive(Debug, Args)]
pub struct WebhookReplay {
    /// Which events.
    #[command(flatten)]
    pub events: ReplayedEvents,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform webhook listen`.
#[derive(Debug, Args)]
pub struct WebhookListen {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8090")]
    pub listen: SocketAddr,
    /// The secret that `cardform webhook set` printed.
    #[arg(long, value_name = "WHSEC", env = "CARDFORM_WEBHOOK_SECRET")]
    pub secret: String,
}
