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

#[test]
fn another_dependency_needs_new_counts() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("Cargo.lock", "one");
    write("crates/a/Cargo.toml", "one");
    write("crates/a/src/lib.rs", "one");
    let before = dependencies(root.path()).unwrap();
    write("crates/a/src/lib.rs", "two");
    assert_eq!(dependencies(root.path()).unwrap(), before);
    for path in ["crates/a/Cargo.toml", "Cargo.lock"] {
        write(path, "two");
        assert_ne!(dependencies(root.path()).unwrap(), before, "{path}");
        write(path, "one");
    }
}
