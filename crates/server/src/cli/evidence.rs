//! `cardform evidence`.

use clap::{Args, Subcommand};

use crate::config::Settings;

/// `cardform evidence`. The settings are given before the action.
#[derive(Debug, Args)]
pub struct EvidenceArgs {
    /// What to do; without an action, scripts, headers and policy are printed.
    #[command(subcommand)]
    pub action: Option<EvidenceAction>,
    /// The settings of the service that serves the pages.
    #[command(flatten)]
    pub settings: Settings,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum EvidenceAction {
    /// Fetches a page and its files as a shopper's browser does, and exits with 1 if anything differs.
    Verify(VerifyArgs),
    /// Prints the components of this build, crates and npm packages, in the format of `CycloneDX`.
    Components,
}

/// `cardform evidence verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The page's address, with its payload.
    pub url: String,
    /// An origin of the merchant's pages; can be repeated. Without it the origins are read from the database.
    #[arg(long, value_name = "ORIGIN")]
    pub allowed_origin: Vec<String>,
    /// The merchant has no list of origins: every page may embed its form.
    #[arg(long, conflicts_with = "allowed_origin")]
    pub any_origin: bool,
    /// The `x` of the key that pages seal cards for, as `cardform evidence` prints it. Without it the valid keys are
    /// read from the database.
    // A key may begin with a hyphen.
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub card_key: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::Cli;

    #[test]
    fn a_card_key_may_begin_with_a_hyphen() {
        let line = [
            "cardform",
            "evidence",
            "verify",
            "https://pay.example/",
            "--card-key",
            "-Rx",
        ];
        assert!(Cli::try_parse_from(line).is_ok());
    }
}
