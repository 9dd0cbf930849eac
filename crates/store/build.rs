//! Has the crate compiled again when the migrations that it carries change.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
