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
    Verify(VerifyArgs),
    /// Prints the components of this build, crates and npm packages, as `CycloneDX` has it.
    Components,
}

/// `cardform evidence verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The page's address, with its payload.
    pub url: String,
    /// An origin of the merchant's pages; once for each. Without it the database of the settings says which they are.
    #[arg(long, value_name = "ORIGIN")]
    pub allowed_origin: Vec<String>,
    /// The merchant has no list of origins: any page may embed its form.
    #[arg(long, conflicts_with = "allowed_origin")]
    pub any_origin: bool,
    /// The `x` of the key that pages seal cards for, as `cardform evidence` prints it. Without it the database of the
    /// settings says which keys count.
    #[arg(long, value_name = "X")]
    pub card_key: Option<String>,
}
