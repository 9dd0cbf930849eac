//! The work around the code: `cargo xtask <command>`.
mod generate;

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/xtask")
        .to_path_buf()
}

fn main() {
    println!("{:?}", generate::write(&root()));
}
