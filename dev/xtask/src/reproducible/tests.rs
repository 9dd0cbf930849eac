use super::*;

#[test]
fn the_copied_files_are_enough_for_a_build() {
    let copy = copy(&crate::root(), &BINARY_INPUTS, "copy-of-a-test").unwrap();
    // Fails when a member of the workspace is missing.
    let mut metadata = process::cargo(&copy);
    metadata.args(["metadata", "--no-deps", "--locked", "--offline", "--quiet"]);
    assert!(process::capture(&mut metadata).unwrap().status.success());
    // Its settings change what is compiled.
    assert!(copy.join(".cargo/config.toml").is_file());
    std::fs::remove_dir_all(copy).unwrap();
}
