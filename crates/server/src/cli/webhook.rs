//! The arguments of `cardform webhook`.

use std::net::SocketAddr;

use clap::{Args, Subcommand};

use crate::config::Settings;

/// `cardform webhook`.
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Sets the address to which a merchant's events are posted, and prints the secret that signs them.
    Set(Box<WebhookSet>),
    /// Shows where merchants' events are posted, and which.
    Show(Box<WebhookShow>),
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
    /// The types of the events that are sent, like charge.succeeded,charge.failed, or `all`; otherwise they do not
    /// change. A new endpoint gets all.
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub events: Option<Vec<String>>,
    /// Makes a new secret; otherwise an existing one does not change.
    #[arg(long)]
    pub new_secret: bool,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform webhook show`.
#[derive(Debug, Args)]
pub struct WebhookShow {
    /// The merchant's id [default: all merchants].
    #[arg(long)]
    pub partner_id: Option<String>,
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

/// `cardform trigger`.
#[derive(Debug, Args)]
pub struct TriggerArgs {
    /// The event's type: charge.succeeded, charge.failed and so on.
    #[arg(value_name = "TYPE")]
    pub kind: String,
    /// Sends it to this merchant's endpoint, signed with its secret.
    #[arg(
        long,
        value_name = "ID",
        conflicts_with = "url",
        required_unless_present = "url"
    )]
    pub partner_id: Option<String>,
    /// Sends it to this address, which may be on your own machine.
    #[arg(long, value_name = "URL", requires = "secret")]
    pub url: Option<String>,
    /// The secret that signs it: with --url.
    #[arg(long, value_name = "WHSEC", env = "CARDFORM_WEBHOOK_SECRET")]
    pub secret: Option<String>,
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
