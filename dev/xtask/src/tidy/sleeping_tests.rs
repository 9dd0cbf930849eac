//! A Rust test waits for a condition with a time limit; it does not sleep. Biome checks the same rule in TypeScript
//! (`dev/xtask/lints`).

use super::Source;

/// Calls that let time pass.
const PAUSES: [&str; 2] = ["sleep(", "yield_now("];
/// Examples stand in the tests of this rule and of Biome's.
const EXAMPLES: &str = "dev/xtask/";
/// A comment with this word and a reason allows the next line.
const ALLOW: &str = "// tidy-allow sleep: ";

/// Every pause in a test that no comment allows.
pub(super) fn all(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        if source.extension() != "rs" || source.path.starts_with(EXAMPLES) {
            continue;
        }
        let mut is_test = source.path.contains("/tests/") || source.path.ends_with("/tests.rs");
        let mut is_allowed = false;
        for (index, line) in source.text.lines().enumerate() {
            is_test |= line.starts_with("mod tests {");
            let code = line.split("//").next().unwrap_or_default();
            if is_test && !is_allowed && PAUSES.iter().any(|pause| code.contains(pause)) {
                found.push(source.finding(index + 1, "a test sleeps: wait for the thing, or fix the clock"));
            }
            is_allowed = line.contains(ALLOW);
        }
    }
    found
}

#[cfg(test)]
mod tests;
