//! `cardform evidence`: what an assessor asks about a payment page, and whether a served page is as it must be.

use std::fmt::Write;

use serde_json::json;

use super::{CommandError, Output, one_line};
use crate::cli::evidence::{EvidenceAction, EvidenceArgs};
use crate::config::Config;
use crate::evidence::{COMPONENTS, EvidenceSources, Expected, Inventory, Verified, verify};

pub(super) async fn run(args: EvidenceArgs, output: Output) -> Result<(), CommandError> {
    let EvidenceArgs { action, settings } = args;
    if matches!(action, Some(EvidenceAction::Components)) {
        Output::print_json(COMPONENTS)?;
        return Ok(());
    }
    let config = settings.resolve().map_err(one_line)?;
    let fraud_script = config
        .pages
        .fraud_scripts
        .as_ref()
        .map(|scripts| format!("{}*", scripts.before_site_id()));
    let inventory = Inventory::of_this_build(fraud_script.as_deref()).map_err(one_line)?;
    let known = EvidenceSources::of(&config).await;
    let Some(EvidenceAction::Verify(args)) = action else {
        print(&config, &inventory, &known, output)?;
        known.close().await;
        return Ok(());
    };
    let origins = args.any_origin.then(Vec::new);
    let origins = origins.or((!args.allowed_origin.is_empty()).then_some(args.allowed_origin));
    let known = known.with_operator_values(origins, args.card_key);
    let verified = verify(&args.url, &config, &inventory, &known).await;
    known.close().await;
    report(&verified.map_err(one_line)?, output)
}

fn report(verified: &Verified, output: Output) -> Result<(), CommandError> {
    let differences = verified.differences.iter().map(|difference| {
        format!(
            "{}\n  expected  {}\n  served    {}",
            difference.what, difference.expected, difference.served
        )
    });
    let skipped = (verified.not_compared.iter())
        .map(|skipped| format!("{} was not compared: {}", skipped.what, skipped.why));
    let mut lines: Vec<_> = differences.collect();
    if lines.is_empty() {
        let text = if verified.not_compared.is_empty() {
            "the page is served as it must be"
        } else {
            "what was compared is served as it must be"
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
        1 => Err(CommandError::from("the page differs in 1 point".to_owned())),
        count => Err(CommandError::from(format!("the page differs in {count} points"))),
    }
}

fn print(
    config: &Config,
    inventory: &Inventory,
    known: &EvidenceSources,
    output: Output,
) -> Result<(), String> {
    let expected = Expected::of(
        config,
        config
            .public_url
            .as_deref()
            .is_none_or(|url| url.starts_with("https:")),
    );
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
