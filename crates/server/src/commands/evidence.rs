//! `cardform evidence`: what an assessor asks of a payment page, and whether a page served somewhere is as it must be.

use std::fmt::Write;

use serde_json::json;

use super::{CommandError, Output, line};
use crate::cli::evidence::{EvidenceAction, EvidenceArgs};
use crate::config::Config;
use crate::evidence::{COMPONENTS, Difference, Expected, Inventory, verify};

pub(super) async fn run(args: EvidenceArgs, output: Output) -> Result<(), CommandError> {
    let EvidenceArgs { action, settings } = args;
    if matches!(action, Some(EvidenceAction::Components)) {
        Output::say_json(COMPONENTS)?;
        return Ok(());
    }
    let config = settings.resolve().map_err(line)?;
    let fraud_script = config
        .fraud_scripts
        .as_ref()
        .map(|scripts| format!("{}*", scripts.before_site_id()));
    let inventory = Inventory::of_this_build(fraud_script.as_deref()).map_err(line)?;
    if let Some(EvidenceAction::Verify { url }) = action {
        let expected = Expected::of(&config, url.starts_with("https:"));
        let differences = verify(&url, &expected, &inventory).await.map_err(line)?;
        told(&differences, output)
    } else {
        print(&config, &inventory, output)?;
        Ok(())
    }
}

fn told(differences: &[Difference], output: Output) -> Result<(), CommandError> {
    let lines: Vec<_> = differences
        .iter()
        .map(|difference| {
            format!(
                "{}\n  expected  {}\n  served    {}",
                difference.what, difference.expected, difference.served
            )
        })
        .collect();
    let text = if lines.is_empty() {
        "the page is served as it must be".to_owned()
    } else {
        lines.join("\n")
    };
    output.say(&json!({ "differences": differences }), &text)?;
    match differences.len() {
        0 => Ok(()),
        1 => Err(CommandError::from("the page differs in 1 point".to_owned())),
        count => Err(CommandError::from(format!("the page differs in {count} points"))),
    }
}

fn print(config: &Config, inventory: &Inventory, output: Output) -> Result<(), String> {
    let expected = Expected::of(
        config,
        config
            .public_url
            .as_deref()
            .is_none_or(|url| url.starts_with("https:")),
    );
    // Writing to a text cannot fail.
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
    output.say(
        &json!({
            "version": env!("CARGO_PKG_VERSION"),
            "scripts_and_styles": inventory.files,
            "third_party_scripts": inventory.third_party_scripts,
            "headers": expected.headers,
            "content_security_policy": expected.policy,
        }),
        text.trim_end(),
    )
}
