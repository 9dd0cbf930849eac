//! `cardform evidence`: prints the evidence about a payment page, and compares a served page with the expected one.

use std::fmt::Write;

use clap::{Args, Subcommand};
use serde_json::json;
use url::Url;

use super::{Failure, Output, one_line};
use crate::config::{Config, Settings, web_address};
use crate::evidence::{COMPONENTS, EvidenceSources, Expected, Inventory, Verified, verify};

/// `cardform evidence`. The settings are given before the action.
#[derive(Debug, Args)]
pub struct EvidenceArgs {
    /// Without an action, scripts, headers and policy are printed.
    #[command(subcommand)]
    pub action: Option<EvidenceAction>,
    /// The settings of the service that serves the pages.
    #[command(flatten)]
    pub settings: Settings,
}

/// The action.
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
    #[arg(value_parser = web_address)]
    pub url: Url,
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

pub(super) async fn run(args: EvidenceArgs, output: Output) -> Result<(), Failure> {
    let EvidenceArgs { action, settings } = args;
    if matches!(action, Some(EvidenceAction::Components)) {
        Output::print_json(COMPONENTS)?;
        return Ok(());
    }
    let config = settings.resolve()?;
    let fraud_script = config
        .pages
        .fraud_scripts
        .as_ref()
        .map(|scripts| format!("{}*", scripts.before_site_id()));
    let inventory = Inventory::of_this_build(fraud_script.as_deref())?;
    let mut known = EvidenceSources::of(&config).await;
    let Some(EvidenceAction::Verify(args)) = action else {
        print(&config, &inventory, &known, output)?;
        known.close().await;
        return Ok(());
    };
    let origins = args.any_origin.then(Vec::new);
    known.origins = origins.or((!args.allowed_origin.is_empty()).then_some(args.allowed_origin));
    known.card_key_x = args.card_key;
    let verified = verify(&args.url, &config, &inventory, &known).await;
    known.close().await;
    report(&verified?, output)
}

fn report(verified: &Verified, output: Output) -> Result<(), Failure> {
    let differences = verified.differences.iter().map(|difference| {
        // A line of the page must not look like one of the report.
        let [what, expected, served] =
            [&difference.what, &difference.expected, &difference.served].map(one_line);
        format!("{what}\n  expected  {expected}\n  served    {served}")
    });
    let skipped = (verified.not_compared.iter())
        .map(|skipped| format!("{} was not compared: {}", skipped.what, skipped.why));
    let mut lines: Vec<_> = differences.collect();
    if lines.is_empty() {
        let text = if verified.not_compared.is_empty() {
            "the page is served as expected"
        } else {
            "the compared parts are served as expected"
        };
        lines.push(text.to_owned());
    }
    lines.extend(skipped);
    output.print(
        &json!({ "differences": verified.differences, "not_compared": verified.not_compared }),
        &lines.join("\n"),
    )?;
    match verified.differences.len() {
        0 => Ok(()),
        1 => Err("the page differs in 1 point".into()),
        count => Err(format!("the page differs in {count} points").into()),
    }
}

fn print(
    config: &Config,
    inventory: &Inventory,
    known: &EvidenceSources,
    output: Output,
) -> Result<(), Failure> {
    let public_url = config.public_url.as_deref();
    let expected = Expected::of(config, public_url.is_none_or(|url| url.starts_with("https:")));
    // Writing to a `String` cannot fail.
    let mut text = String::from("Scripts and style sheets of the payment page (PCI DSS 4.0.1, 6.4.3)\n");
    for (path, file) in &inventory.files {
        let _ = write!(
            text,
            "\n{path}\n  {}, {} bytes, loaded {}\n  {}\n  sha256 {}\n",
            file.kind, file.bytes, file.loaded, file.purpose, file.sha256
        );
    }
    for (address, purpose) in &inventory.third_party_scripts {
        let _ = write!(text, "\n{address}\n  script of a third party\n  {purpose}\n");
    }
    text.push_str("\nHeaders that it must have (11.6.1; `cardform evidence verify URL` compares)\n");
    for (name, value) in &expected.headers {
        let _ = write!(text, "\n{name}: {value}");
    }
    text.push_str("\n\ncontent-security-policy\n");
    for (name, directive) in &expected.policy {
        let _ = writeln!(text, "  {name}  {directive}");
    }
    let card_key = known.present_card_key();
    let _ = match card_key {
        Ok(key) => write!(
            text,
            "\ncard key (`verify --card-key`)\n  {}  of {}",
            key.x, key.kid
        ),
        Err(why) => write!(text, "\ncard key\n  not known here: {why}"),
    };
    output.print(
        &json!({
            "version": env!("CARGO_PKG_VERSION"),
            "scripts_and_styles": inventory.files,
            "third_party_scripts": inventory.third_party_scripts,
            "headers": expected.headers,
            "content_security_policy": expected.policy,
            "card_key": card_key.ok(),
        }),
        text.trim_end(),
    )
}

#[cfg(test)]
mod tests;
