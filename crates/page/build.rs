//! A release build embeds the built page: cargo compiles it again when the page changes, and reports a missing page in one
//! line.

use std::path::Path;

/// The last file that the page's build writes for the service.
const MANIFEST: &str = "../../dist/page/.vite/manifest.json";

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script by the environment"
)]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A debug build reads the page from the disk, so it needs none and is not compiled again for another.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo:rerun-if-changed=../../dist");
        if !Path::new(MANIFEST).is_file() {
            println!("cargo::error=the page is not built: run `cargo xtask build`, which builds both");
        }
    } else {
        // The folder's real path is compiled in, so it must be there, empty as it may be.
        std::fs::create_dir_all("../../dist").expect("a folder beside crates/");
    }
}
