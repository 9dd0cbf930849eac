//! `cardform evidence`.

use clap::{Args, Subcommand};

use crate::config::Settings;

/// `cardform evidence`. Settings stand before the word that says what to do.
#[derive(Debug, Args)]
pub struct EvidenceArgs {
    /// What to do; without it, scripts, headers and policy are printed.
    #[command(subcommand)]
    pub action: Option<EvidenceAction>,
    /// The settings of the service whose pages are meant.
    #[command(flatten)]
    pub settings: Settings,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum EvidenceAction {
    /// Fetches a page and its files as a shopper's browser does, and ends with 1 when anything differs.
    Verify {
        /// The page's address, with its payload.
        url: String,
    },
    /// Prints the components of this build, crates and npm packages, as `CycloneDX` has it.
    Components,
}
