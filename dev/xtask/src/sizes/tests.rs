use serde_json::json;

use super::*;

fn set(files: &[&str]) -> BTreeSet<String> {
    files.iter().map(|file| (*file).to_owned()).collect()
}

#[test]
fn everything_an_entry_imports_counts_once() {
    let manifest = json!({
        "src/browser.tsx": {"file": "a/browser.js", "isEntry": true, "imports": ["_react", "_card"],
                            "dynamicImports": ["locales/th.json"]},
        "_card": {"file": "a/card.js", "imports": ["_react"]},
        "_react": {"file": "a/react.js", "imports": ["_card"]},
        "locales/th.json": {"file": "a/th.js", "isDynamicEntry": true, "imports": ["_react"]},
        "_orphan": {"file": "a/orphan.js"},
        "style.css": {"file": "a/form.css"},
    });
    assert_eq!(
        PageScripts::of(&manifest),
        Some(PageScripts {
            scripts: set(&["a/browser.js", "a/card.js", "a/react.js"]),
            later: set(&["a/th.js"]),
            styles: set(&["a/form.css"]),
        })
    );
    assert_eq!(
        PageScripts::of(&json!({"_orphan": {"file": "a/orphan.js"}})),
        None
    );
}

#[test]
fn a_byte_over_the_budget_fails() {
    let size = |bytes| Size {
        what: "SDK",
        format: "gzip",
        bytes,
        bytes_max: Some(3_000),
    };
    assert!(within_budgets(&[size(3_000)]).is_ok());
    let failure = within_budgets(&[size(3_001)]).unwrap_err();
    assert_eq!(failure.to_string(), "over budget: SDK");
    assert!(table(&[size(3_001)]).ends_with("3.00 KB  gzip      3.00 KB  OVER"));
}
