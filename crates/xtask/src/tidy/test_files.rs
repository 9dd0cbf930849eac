//! What a Rust test may not do: be left out, or sleep. Biome holds the page's tests to the same (`crates/xtask/lints`).

use super::Finding;
use super::source::{Source, names};

/// No test is ignored.
pub(super) fn none_is_left_out(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources {
        for (index, line) in source.code().lines().enumerate() {
            let plain: String = line.split_whitespace().collect();
            let is_ignored = plain.contains("#[ignore") || plain.contains(",ignore");
            if plain.starts_with("#[") && is_ignored {
                found.push(source.finding("left-out", index + 1, "`ignore` leaves a test out"));
            }
        }
    }
    found
}

/// No test sleeps: it waits for what it needs, or fixes the clock.
pub(super) fn none_sleeps(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources {
        let Some(from) = source.tests_from() else {
            continue;
        };
        for (index, line) in source.code().lines().enumerate().skip(from - 1) {
            if names(line, "sleep") {
                let what = "a test sleeps; wait for the thing, or fix the clock";
                found.push(source.finding("sleep", index + 1, what));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(rule: fn(&[Source]) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
        let found = rule(&[Source::new(path.to_owned(), text.to_owned())]);
        found.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn tests_that_are_left_out_are_named() {
        let rust =
            "#[test]\n#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\n#[cfg_attr(unix, ignore)]\nlist.skip(2);\n";
        assert_eq!(lines(none_is_left_out, "crates/rules/src/a.rs", rust), [2, 4, 5]);
    }

    #[test]
    fn tests_that_sleep_are_named() {
        let rust = "fn retry() { sleep(1); }\n#[cfg(test)]\nmod tests {\n    std::thread::sleep(x);\n    tokio::time::sleep(x);\n}\n";
        assert_eq!(lines(none_sleeps, "crates/server/src/a.rs", rust), [4, 5]);
        assert_eq!(
            lines(none_sleeps, "crates/server/tests/a.rs", "sleep(x).await;"),
            [1]
        );
    }
}
