//! Has the crate compiled again when the built page changes: a release build embeds it. And lists the components of the
//! build, from the lock files.

use std::path::Path;

#[path = "build/components.rs"]
mod components;

/// What the page's build writes last of what the service needs.
const MANIFEST: &str = "../../dist/page/.vite/manifest.json";

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script by the environment"
)]
fn main() {
    println!("cargo:rerun-if-changed=../../dist");
    // A debug build reads the page from the disk. A release build without it would be a service that shows nothing.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") && !Path::new(MANIFEST).is_file() {
        println!("cargo::error=the page is not built: run `cargo xtask build`, which builds both");
        return;
    }
    println!("cargo:rerun-if-changed=build");
    let [crates, packages] = ["../../Cargo.lock", "../../package-lock.json"].map(|path| {
        println!("cargo:rerun-if-changed={path}");
        std::fs::read_to_string(path).unwrap_or_else(|cause| panic!("{path}: {cause}"))
    });
    let list = components::list(&crates, &packages, env!("CARGO_PKG_VERSION"));
    let out = std::env::var("OUT_DIR").expect("cargo says where to write");
    let file = Path::new(&out).join("components.cdx.json");
    std::fs::write(&file, list).unwrap_or_else(|cause| panic!("{}: {cause}", file.display()));
}
