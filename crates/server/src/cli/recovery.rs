//! The arguments of `cardform backup`, `restore`, `reconcile` and `payments`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config::Settings;

/// `cardform backup`.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The file to write, which must not exist; in a folder, a new file that is named after the time.
    #[arg(value_name = "FILE")]
    pub to: PathBuf,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The file that `cardform backup` wrote.
    #[arg(value_name = "FILE")]
    pub from: PathBuf,
    /// The settings. The database must not exist yet.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform reconcile`.
#[derive(Debug, Args)]
pub struct ReconcileArgs {
    /// Since when the provider's payments are looked through, like 2026-11-22T03:00:00Z [default: what the restore noted].
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform payments`.
#[derive(Debug, Subcommand)]
pub enum PaymentsCommand {
    /// Closes payments after PostgreSQL was restored to an earlier moment, before any node starts. `cardform reconcile`
    /// opens them again.
    Close(Box<ReconcileArgs>),
}
