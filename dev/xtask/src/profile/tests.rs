use super::*;

/// A new version of Rust or of Cardform needs new counts. Without them the release is slower, and no other test notices it.
#[test]
fn there_are_counts_for_this_version_and_its_rust() {
    let files = std::fs::read_dir(crate::root().join(FOLDER)).unwrap();
    let rust = format!("-rustc-{}.", env!("CARGO_PKG_RUST_VERSION"));
    let version = format!("-cardform-{VERSION}.profdata");
    let mut names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(
        names.any(|name| name.contains(&rust) && name.ends_with(&version)),
        "run `cargo xtask profile`"
    );
}
