//! What a test may not do: be left out, leave out the others, or sleep.

use super::Finding;
use super::code::Language;
use super::source::{Source, names};

/// Ways of a TypeScript test to leave out itself or the others.
const LEFT_OUT: [&str; 8] = [
    ".only(", ".only.", ".skip(", ".skip.", ".todo(", ".skipIf(", ".runIf(", ".fixme(",
];

/// No test is ignored, skipped or run alone.
pub(super) fn none_is_left_out(sources: &[Source]) -> Vec<Finding> {
    let rule = "left-out";
    let mut found = Vec::new();
    for source in sources {
        let lines = source.code();
        for (index, line) in lines.lines().enumerate() {
            let way = match source.language() {
                Some(Language::Rust) => {
                    let plain: String = line.split_whitespace().collect();
                    let is_ignored = plain.contains("#[ignore") || plain.contains(",ignore");
                    (plain.starts_with("#[") && is_ignored).then_some("ignore")
                }
                _ if source.is_test() => LEFT_OUT.into_iter().find(|way| line.contains(way)),
                _ => None,
            };
            if let Some(way) = way {
                found.push(source.finding(rule, index + 1, format!("`{way}` leaves a test out")));
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
        let is_rust = source.language() == Some(Language::Rust);
        for (index, line) in source.code().lines().enumerate().skip(from - 1) {
            let is_timer = names(line, "setTimeout") && (names(line, "Promise") || names(line, "resolve"));
            let sleeps = names(line, "sleep") || (!is_rust && (is_timer || names(line, "waitForTimeout")));
            if sleeps {
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
        let page = "it(\"pays\", f);\nit.only(\"pays\", f);\ndescribe.skip(\"x\", f);\nit.skipIf(a)(\"x\", f);\n// it.only(\n";
        assert_eq!(lines(none_is_left_out, "form/src/a.test.ts", page), [2, 3, 4]);
        assert!(lines(none_is_left_out, "form/src/a.ts", "list.skip(2);").is_empty());

        let rust =
            "#[test]\n#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\n#[cfg_attr(unix, ignore)]\nlist.skip(2);\n";
        assert_eq!(lines(none_is_left_out, "crates/rules/src/a.rs", rust), [2, 4, 5]);
    }

    #[test]
    fn tests_that_sleep_are_named() {
        let page = "await page.waitForTimeout(5);\nawait new Promise((r) => setTimeout(r, 5));\nsetTimeout(render, 5);\n\
                    await sleep(5);\n";
        assert_eq!(lines(none_sleeps, "e2e/pay.test.ts", page), [1, 2, 4]);
        assert!(lines(none_sleeps, "form/src/effects.ts", page).is_empty());

        let rust = "fn retry() { sleep(1); }\n#[cfg(test)]\nmod tests {\n    std::thread::sleep(x);\n    tokio::time::sleep(x);\n}\n";
        assert_eq!(lines(none_sleeps, "crates/server/src/a.rs", rust), [4, 5]);
        assert_eq!(
            lines(none_sleeps, "crates/server/tests/a.rs", "sleep(x).await;"),
            [1]
        );
    }
}
