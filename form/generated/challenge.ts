// Written by `cargo xtask generate` from the Rust crates. Do not edit.

/** `source` of the message of the page to which a challenge returns. */
export const CHALLENGE_SOURCE = "cardform-challenge";
