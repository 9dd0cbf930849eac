//! The rules of the house that no other tool knows: which crate may use which, what a Rust test may not do, whether
//! documents are true. Each rule looks at all files and names every place that breaks it.

mod architecture;
mod card_numbers;
mod citations;
mod code;
mod crates;
mod names;
mod rooms;
mod shape;
mod source;
mod test_files;
mod type_names;
mod versions;

use std::path::Path;

use source::Source;

use crate::failure::Failure;
use crate::files;

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// The rule's name, as a comment that allows an exception gives it.
    rule: &'static str,
    path: String,
    /// From 1.
    line: usize,
    what: String,
}

/// Looks at all files and names what breaks the rule.
type Rule = fn(&[Source]) -> Vec<Finding>;

const RULES: [Rule; 13] = [
    names::forbidden_names,
    type_names::each_is_used_once,
    shape::meaningful_file_names,
    shape::short_files,
    architecture::map_is_true,
    rooms::none_runs_up,
    test_files::none_is_left_out,
    test_files::none_sleeps,
    test_files::failed_seeds_are_kept,
    test_files::no_port_is_guessed,
    card_numbers::only_in_tests,
    versions::is_the_same_everywhere,
    citations::all_exist,
];

/// What a comment says on the line itself or the one above to allow one exception: `tidy-allow sleep: the reason`.
const ALLOW: &str = "tidy-allow";

/// Every place that breaks a rule, one line each.
pub(crate) fn findings(root: &Path) -> Result<Vec<String>, Failure> {
    let mut sources = Vec::new();
    for path in files::list(root, &["."])? {
        let file = root.join(&path);
        let bytes = std::fs::read(&file).map_err(Failure::file(&file))?;
        // Images and other binary files have a name and no text.
        sources.push(Source::new(path, String::from_utf8(bytes).unwrap_or_default()));
    }
    let mut lines = crates::findings(root)?;
    let found = check(&sources, &RULES).into_iter();
    lines.extend(found.map(|finding| {
        format!(
            "{}:{}: {} ({})",
            finding.path, finding.line, finding.what, finding.rule
        )
    }));
    Ok(lines)
}

fn check(sources: &[Source], rules: &[Rule]) -> Vec<Finding> {
    let mut found: Vec<_> = rules.iter().flat_map(|rule| rule(sources)).collect();
    found.retain(|finding| {
        let source = sources.iter().find(|source| source.path == finding.path);
        !source.is_some_and(|source| is_allowed(&source.text, finding))
    });
    found
}

/// Whether a comment at the place allows it and gives a reason.
fn is_allowed(text: &str, finding: &Finding) -> bool {
    let first = finding.line.saturating_sub(2);
    text.lines().skip(first).take(finding.line - first).any(|line| {
        let Some((_, comment)) = line.split_once(ALLOW) else {
            return false;
        };
        let Some((rule, reason)) = comment.split_once(':') else {
            return false;
        };
        rule.trim() == finding.rule && reason.trim().len() > 10
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(_: &[Source]) -> Vec<Finding> {
        vec![Finding {
            rule: "sleep",
            path: "e2e/pay.test.ts".to_owned(),
            line: 2,
            what: "sleeps".to_owned(),
        }]
    }

    fn count(text: &str) -> usize {
        check(
            &[Source::new("e2e/pay.test.ts".to_owned(), text.to_owned())],
            &[broken],
        )
        .len()
    }

    #[test]
    fn an_exception_needs_the_rule_and_a_reason() {
        assert_eq!(count("\nwait();\n"), 1);
        assert_eq!(
            count("// tidy-allow sleep: the simulated network is slow\nwait();\n"),
            0
        );
        assert_eq!(
            count("\nwait(); // tidy-allow sleep: the simulated network is slow\n"),
            0
        );
        assert_eq!(count("// tidy-allow sleep:\nwait();\n"), 1);
        assert_eq!(
            count("// tidy-allow names: the simulated network is slow\nwait();\n"),
            1
        );
        assert_eq!(
            count("\nwait();\n// tidy-allow sleep: the simulated network is slow\n"),
            1
        );
    }
}
