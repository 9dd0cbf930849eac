//! `form/generated/declines.ts`: the part of the table of declines that a shopper may see.

use std::fmt::Write;

use protocol::{DeclineCode, NextStep};
use serde_json::json;

/// The whole file.
pub(super) fn typescript() -> String {
    let steps: Vec<_> = NextStep::ALL
        .iter()
        .map(|step| format!("\"{}\"", step.message_key()))
        .collect();
    let mut out = format!(
        "import type {{ ErrorId, FieldName }} from \"./rules.ts\";\n\n\
         /** What the shopper can do about a decline: the key of its text. */\n\
         export type NextStep = {};\n\n\
         /** What a decline asks of the shopper. */\n\
         export interface Decline {{\n\
         \x20 readonly nextStep: NextStep;\n\
         \x20 /** The field to correct, and the error that it shows. */\n\
         \x20 readonly field?: FieldName;\n\
         \x20 readonly errorId?: ErrorId;\n\
         }}\n\n\
         /** Every code that a shopper's page is told. Codes of lost and stolen cards never reach it. */\n\
         export const DECLINES: Readonly<Record<string, Decline>> = {{\n",
        steps.join(" | ")
    );
    for code in DeclineCode::ALL.iter().filter(|code| code.shown() == **code) {
        let row = code.row();
        let mut entries = vec![format!("nextStep: \"{}\"", row.next_step.message_key())];
        if let Some((field, error)) = row.field {
            entries.push(format!("field: {}", json!(field.name())));
            entries.push(format!("errorId: {}", json!(error.as_str())));
        }
        writeln!(out, "  {}: {{ {} }},", code.as_str(), entries.join(", ")).expect("writing to a string");
    }
    out + "};\n"
}
