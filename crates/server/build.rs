//! Lists the components of the build, from the lock files, and renders the documentation.

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
    let out = Path::new(&out);
    write(&out.join("components.cdx.json"), list.as_bytes());
    write_manual(out);
}

/// Writes the files of the documentation, and `manual.rs` with a list of them.
fn write_manual(out: &Path) {
    let root = Path::new("../..");
    for source in manual::SOURCES {
        println!("cargo:rerun-if-changed={}", root.join(source).display());
    }
    let files = manual::files(root).unwrap_or_else(|mistakes| {
        for mistake in mistakes {
            println!("cargo::error={mistake}");
        }
        Vec::new()
    });
    let entries = files.iter().enumerate().map(|(number, file)| {
        let built = format!("manual-{number}");
        write(&out.join(&built), &file.bytes);
        format!(
            "({:?}, {:?}, include_bytes!({built:?}) as &[u8]),\n",
            file.path, file.kind
        )
    });
    let list: String = entries.collect();
    write(&out.join("manual.rs"), format!("&[\n{list}]").as_bytes());
}

fn write(file: &Path, bytes: &[u8]) {
    std::fs::write(file, bytes).unwrap_or_else(|cause| panic!("{}: {cause}", file.display()));
}
