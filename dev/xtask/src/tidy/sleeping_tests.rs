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
mod tests {
    use super::super::sources;
    use super::*;

    #[test]
    fn a_sleep_in_a_test_is_found_unless_a_comment_allows_it() {
        let code = "fn retry() { sleep(1); }\n#[cfg(test)]\nmod tests {\n    std::thread::sleep(x);\n\
                    // sleep(\n    // tidy-allow sleep: the clock stands still\n    sleep(x);\n}\n";
        let found = all(&sources(&[
            ("a/src/b.rs", code),
            ("a/tests/c.rs", "yield_now();"),
        ]));
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("a/src/b.rs:4: ") && found[1].starts_with("a/tests/c.rs:1: "));
    }
}
