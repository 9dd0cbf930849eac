//! `form/generated/rules.ts`: the tables of the `rules` crate.

use std::fmt::Write;

use rules::ErrorId;

/// The whole file.
pub(super) fn typescript() -> String {
    let mut out = String::new();
    let ids: Vec<_> = ErrorId::ALL
        .iter()
        .map(|id| format!("  \"{}\",", id.as_str()))
        .collect();
    write!(
        out,
        "/** Why a field's value is refused (specification, point 8). */\n\
         export const ERROR_IDS = [\n{}\n] as const;\n\nexport type ErrorId = (typeof ERROR_IDS)[number];\n",
        ids.join("\n")
    )
    .expect("writing to a string");
    out
}
