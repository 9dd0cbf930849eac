//! The arguments of `cardform audit`.

use clap::{Args, Subcommand};

use crate::config::Settings;

/// `cardform audit`.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Lists who did what and when, the newest first.
    List(Box<AuditList>),
}

/// `cardform audit list`.
#[derive(Debug, Args)]
pub struct AuditList {
    /// Only lines about this id: a merchant's, a saved card's or a signing key's.
    #[arg(long, value_name = "ID")]
    pub subject: Option<String>,
    /// Only lines before the line with this id, `aud_…`.
    #[arg(long, value_name = "ID")]
    pub before: Option<String>,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u32,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}
