use super::super::sources;
use super::*;

const RULES: &str =
    "# What a field may hold\n\n## Card number\n\n```sh\n# a remark\n```\n\n## The bank's `page`\n";

fn check(path: &str, text: &str) -> Vec<String> {
    let found = broken(&sources(&[
        ("docs/rules.md", RULES),
        ("crates/rules/src/lib.rs", ""),
        (path, text),
    ]));
    let problems = found.iter().filter_map(|finding| finding.split(": ").nth(1));
    problems.map(str::to_owned).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn a_cited_heading_exists() {
    assert_eq!(
        check("form/a.ts", "// Digits (docs/rules.md#card-number).\n"),
        NONE
    );
    assert_eq!(check("form/a.ts", "// Digits; docs/rules.md says which.\n"), NONE);
    assert_eq!(check("form/a.ts", "// (docs/rules.md#the-banks-page)\n"), NONE);
    assert_eq!(
        check("form/a.ts", "// Digits (docs/rules.md#number).\n"),
        ["cites `docs/rules.md#number`, and `docs/rules.md` has no such heading"]
    );
    assert_eq!(
        check("cases/a.json", "{\"docs\": \"docs/rules.md#a-remark\"}").len(),
        1
    );
    assert_eq!(
        check("form/a.ts", "// (SECURITY.md#invariants)\n"),
        ["cites `SECURITY.md`, which does not exist"]
    );
}

#[test]
fn a_cited_document_exists() {
    assert_eq!(
        check("form/a.css", "/* docs/looks.md */\n"),
        ["cites `docs/looks.md`, which does not exist"]
    );
    assert_eq!(
        check("form/a.ts", "read(\"NOTICE.md\", \"https://a.example/docs.md\");"),
        NONE
    );
}

#[test]
fn links_between_documents_lead_somewhere() {
    let good =
        "[a](rules.md#card-number) [b](#mine) [c](../crates/rules) [d](https://a.example/b#c)\n\n## Mine\n";
    assert_eq!(check("docs/a.md", good), NONE);
    assert_eq!(check("README.md", "[a](docs/rules.md#card-number)"), NONE);
    assert_eq!(
        check("docs/a.md", "[a](rules.md#cards), [b](#yours), [c](../form/b.ts)"),
        [
            "cites `docs/rules.md#cards`, and `docs/rules.md` has no such heading",
            "cites `docs/a.md#yours`, and `docs/a.md` has no such heading",
            "cites `form/b.ts`, which does not exist"
        ]
    );
    assert_eq!(check("docs/a.md", "```\n[a](nowhere.md)\n```\n"), NONE);
}

#[test]
fn the_second_heading_of_a_name_has_a_number() {
    let text = "## Expiry\n## Expiry\n";
    assert_eq!(anchors(text), ["expiry", "expiry-1"].map(str::to_owned).into());
}

#[test]
fn a_document_outside_of_the_repository_is_not_cited() {
    for text in [
        "// (\u{a7}5)",
        "// As DESIGN.md says.",
        "// In the specification.",
        "{\"rule\": \"\\u00a75\"}",
    ] {
        assert_eq!(check("form/a.ts", text).len(), 1, "{text}");
    }
}
