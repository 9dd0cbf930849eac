//! Has the crate compiled again when the built page changes: a release build embeds it.

fn main() {
    println!("cargo:rerun-if-changed=../../dist");
    println!("cargo:rerun-if-changed=migrations");
}
