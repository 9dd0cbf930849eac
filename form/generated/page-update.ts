// Written by `cargo xtask generate` from the Rust crates. Do not edit.

/** The header with which the form asks for its page anew. */
export const PAGE_UPDATE_HEADER = "cardform-page-update";
