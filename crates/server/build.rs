//! Lists the components of the build, from the lock files.

use std::path::Path;

#[path = "build/components.rs"]
mod components;

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script by the environment"
)]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
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
