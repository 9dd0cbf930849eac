//! What a Rust test may not do: be left out, or sleep. Biome holds the page's tests to the same (`dev/xtask/lints`).

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

/// How a test that waits without a limit lets time pass.
const PAUSES: [(&str, &str); 2] = [
    ("sleep", "a test sleeps; wait for the thing, or fix the clock"),
    (
        "yield_now",
        "a test looks again and again; wait with a limit and with words (tests/service/waiting.rs)",
    ),
];

/// No test sleeps: it waits for what it needs, or fixes the clock. None waits without a limit.
pub(super) fn none_sleeps(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources {
        let Some(from) = source.tests_from() else {
            continue;
        };
        for (index, line) in source.code().lines().enumerate().skip(from - 1) {
            for (_, what) in PAUSES.iter().filter(|(name, _)| names(line, name)) {
                found.push(source.finding("sleep", index + 1, *what));
            }
        }
    }
    found
}

/// A random input that failed is tried again at the next run: by `forAll` in TypeScript, by proptest's file in Rust, for
/// which it finds no place below `tests` by itself.
pub(super) fn failed_seeds_are_kept(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources {
        let is_typescript = [".test.ts", ".test.tsx"]
            .iter()
            .any(|end| source.path.ends_with(end));
        let is_rust = source.path.contains("/tests/") && !source.text.contains("failure_persistence");
        for (index, line) in source.text.lines().enumerate() {
            let forgets = (is_typescript && line.contains("fc.assert("))
                || (is_rust && line.starts_with("proptest! {"));
            if forgets {
                let what = "a seed that fails is forgotten: use `forAll`, or a file for proptest's seeds";
                found.push(source.finding("seeds", index + 1, what));
            }
        }
    }
    found
}

/// Ports below it are the system's own: nobody listens there by chance.
const FIRST_USERS_PORT: u32 = 1_024;

/// No test guesses a port that is free: it takes port 0, or an address of its own.
pub(super) fn no_port_is_guessed(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.is_test()) {
        for (index, line) in source.text.lines().enumerate() {
            let ports = ["127.0.0.1:", "localhost:"]
                .into_iter()
                .flat_map(|host| line.split(host).skip(1))
                .filter_map(|rest| {
                    rest.split(|c: char| !c.is_ascii_digit())
                        .next()?
                        .parse::<u32>()
                        .ok()
                });
            for port in ports.filter(|port| *port >= FIRST_USERS_PORT) {
                let what = format!("port {port} may be somebody's: take port 0, or `own_address`");
                found.push(source.finding("ports", index + 1, what));
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
    fn tests_that_forget_a_failed_seed_are_named() {
        let named = |path: &str, text: &str| lines(failed_seeds_are_kept, path, text);
        assert_eq!(named("form/src/a.test.ts", "it();\n  fc.assert(p);\n"), [2]);
        assert!(named("form/src/for-all.ts", "fc.assert(p);\n").is_empty());
        assert_eq!(named("crates/rules/tests/a.rs", "proptest! {\n"), [1]);
        assert!(named("crates/rules/tests/a.rs", "failure_persistence: x\nproptest! {\n").is_empty());
        assert!(named("crates/rules/src/a.rs", "proptest! {\n").is_empty());
    }

    #[test]
    fn tests_that_guess_a_port_are_named() {
        let text = "\"http://127.0.0.1:0\"\n\"http://127.0.0.1:9\"\n\"127.0.0.1:80\" + \"80\"\n";
        assert!(lines(no_port_is_guessed, "e2e/src/a.ts", text).is_empty());
        let guessed = format!("a\nhttp://localhost:{}/\n", 8080);
        assert_eq!(lines(no_port_is_guessed, "e2e/tests/a.test.ts", &guessed), [2]);
        assert!(lines(no_port_is_guessed, "form/src/a.ts", &guessed).is_empty());
    }

    #[test]
    fn tests_that_sleep_are_named() {
        let rust = "fn retry() { sleep(1); }\n#[cfg(test)]\nmod tests {\n    std::thread::sleep(x);\n    tokio::time::sleep(x);\n}\n";
        assert_eq!(lines(none_sleeps, "crates/server/src/a.rs", rust), [4, 5]);
        assert_eq!(
            lines(
                none_sleeps,
                "crates/server/tests/a.rs",
                "sleep(x).await;\ntask::yield_now().await;\n"
            ),
            [1, 2]
        );
    }
}
