use super::*;

#[test]
fn citations_are_removed_and_other_brackets_stay() {
    assert_eq!(
        uncited("`text/html` (docs/calls.md#fixed-values)."),
        "`text/html`."
    );
    assert_eq!(
        uncited("A page (SECURITY.md, docs/form.md#paying) or (no.md file)."),
        "A page or (no.md file)."
    );
    assert_eq!(
        uncited("`https:` (or `http:`, (tests)) and (so on"),
        "`https:` (or `http:`, (tests)) and (so on"
    );
}
