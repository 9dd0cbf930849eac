use super::*;

#[test]
fn the_committed_typescript_agrees_with_the_rust_crates() {
    let stale: Vec<_> = stale(&root()).into_iter().map(|file| file.path).collect();
    assert!(
        stale.is_empty(),
        "run `{COMMAND}`: {stale:?} differ from the Rust crates"
    );
}
