//! The sample is tried with the others, by `crates/server/tests/service/samples.rs`. A package with a test of this kind
//! has its program built by `cargo test`.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn a_port_that_cannot_be_opened_ends_the_sample() {
    let mut shop = Command::new(env!("CARGO_BIN_EXE_shop"));
    let ended = shop.env("PORT", "no port").output().expect("it starts");
    assert!(!ended.status.success());
}

#[test]
fn a_copy_of_the_folder_needs_nothing_of_the_repository() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = std::env::temp_dir().join(format!("cardform-shop-{}", std::process::id()));
    fs::create_dir_all(copy.join("src")).expect("a folder");
    for file in ["Cargo.toml", "src/main.rs"] {
        fs::copy(here.join(file), copy.join(file)).expect(file);
    }
    let mut cargo = Command::new(env!("CARGO"));
    let read = cargo
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(&copy)
        .output();
    fs::remove_dir_all(&copy).expect("the folder is there");
    let read = read.expect("cargo runs");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
}
