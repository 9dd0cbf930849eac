// Written by `cargo xtask generate` from the Rust crates. Do not edit.

/** The cookie with the language that the shopper chose. */
export const LANGUAGE_COOKIE = "i18n_redirected";
