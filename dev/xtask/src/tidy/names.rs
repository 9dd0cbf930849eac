//! What the rules may not name: they have no clock and no I/O. What the page's rooms may not name is in `biome.json`.

use super::Finding;
use super::source::{Source, names};

/// The beginning of the paths of the rules' files.
const RULES: &str = "crates/rules/src/";
const WORDS: [&str; 4] = ["SystemTime", "Instant", "TcpStream", "File"];

/// Every such word in the code of the rules.
pub(super) fn forbidden_names(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.path.starts_with(RULES)) {
        let tests_from = source.tests_from().unwrap_or(usize::MAX);
        for (index, line) in source.code().lines().enumerate().take(tests_from - 1) {
            let words = WORDS.iter().filter(|word| names(line, word));
            found.extend(words.map(|word| {
                let what = format!("names `{word}`: the rules have no clock and no I/O");
                source.finding("names", index + 1, what)
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        let found = forbidden_names(&[Source::new(path.to_owned(), text.to_owned())]);
        found.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn the_rules_know_no_clock() {
        for word in WORDS {
            assert_eq!(
                check("crates/rules/src/expiry.rs", &format!("// {word}\nf({word});\n")),
                [2],
                "{word}"
            );
        }
        assert!(check("crates/rules/src/expiry.rs", "const S: &str = \"File\"; Files").is_empty());
        assert!(check("crates/server/src/clock.rs", "SystemTime::now()").is_empty());
    }

    #[test]
    fn tests_of_the_rules_may_read_files() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs::File;\n}\n";
        assert!(check("crates/rules/src/expiry.rs", text).is_empty());
    }
}
