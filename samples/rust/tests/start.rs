//! The sample is tried with the others, by `crates/server/tests/service/samples.rs`. A package with a test of this kind
//! has its program built by `cargo test`.

use std::process::Command;

#[test]
fn a_port_that_cannot_be_opened_ends_the_sample() {
    let mut shop = Command::new(env!("CARGO_BIN_EXE_shop"));
    let ended = shop.env("PORT", "no port").output().expect("it starts");
    assert!(!ended.status.success());
}
