//! `cardform experiment explain`: evaluates a features document as the service does, and explains the result.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{Failure, Output, UnusableArguments};
use experiments::{Attributes, DecryptionKey, Document, Explanation};

/// `cardform experiment`.
#[derive(Debug, Subcommand)]
pub enum ExperimentCommand {
    /// Prints each feature of a shopper with these attributes: value, variation, and why.
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

pub(super) fn run(command: ExperimentCommand, output: Output) -> Result<(), Failure> {
    let ExperimentCommand::Explain(args) = command;
    let explained = explain(&args).map_err(UnusableArguments)?;
    let text: Vec<_> = explained.iter().map(paragraph).collect();
    output.print(&json!(explained), &text.join("\n\n"))
}

fn explain(args: &ExperimentExplain) -> Result<Vec<Explanation>, String> {
    let file = args.features.display();
    let attributes: Value = serde_json::from_str(&args.attributes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("--attributes is not JSON (line {line}, column {column})")
    })?;
    let attributes = Attributes::from_json(attributes)
        .ok_or_else(|| r#"--attributes must be a JSON object like {"id": "c-1"}"#.to_owned())?;
    let key = match &args.features_decryption_key {
        None => None,
        Some(text) => Some(
            DecryptionKey::from_base64(text)
                .ok_or_else(|| "--features-decryption-key must be 16 or 32 bytes in base64".to_owned())?,
        ),
    };
    let bytes = std::fs::read(&args.features).map_err(|error| format!("cannot read {file}: {error}"))?;
    let document = Document::read(&bytes, key.as_ref()).map_err(|error| format!("{file}: {error}"))?;
    Ok(document.explain(&attributes))
}

fn paragraph(explained: &Explanation) -> String {
    let variation = match (
        explained.variation,
        &explained.variation_key,
        &explained.experiment,
    ) {
        (Some(number), Some(key), Some(experiment)) => format!("{number} ({key}) of {experiment}"),
        _ => "none: not in an experiment".to_owned(),
    };
    let mut lines = vec![
        explained.feature.clone(),
        format!("  value      {}", explained.value),
        format!("  variation  {variation}"),
        format!("  why        {}", explained.why),
    ];
    let passed_over = explained.passed_over.iter();
    lines.extend(passed_over.map(|rule| format!("             not rule {}: {}", rule.rule, rule.why)));
    lines.join("\n")
}
