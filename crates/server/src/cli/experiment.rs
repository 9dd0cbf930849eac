//! `cardform experiment`: which features a features document gives a shopper.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `cardform experiment`.
#[derive(Debug, Subcommand)]
pub enum ExperimentCommand {
    /// Prints what a shopper with these attributes gets, per feature: value, variation, and why.
    Explain(ExperimentExplain),
}

/// `cardform experiment explain`.
#[derive(Debug, Args)]
pub struct ExperimentExplain {
    /// The file with the features document, in GrowthBook's format.
    #[arg(long, value_name = "FILE")]
    pub features: PathBuf,
    /// The shopper's attributes, a JSON object: {"id": "c-1", "country": "ID"}. The page sets id (the cookie id), txnId,
    /// country, merchantId, pcpId, mnoId, partnerId and currency.
    #[arg(long, value_name = "JSON")]
    pub attributes: String,
    /// The key of an encrypted document, in base64.
    #[arg(
        long,
        value_name = "KEY",
        env = "CARDFORM_FEATURES_DECRYPTION_KEY",
        hide_env_values = true
    )]
    pub features_decryption_key: Option<String>,
}
