// Written by `cargo xtask generate` from the Rust crates. Do not edit.

/** The only Trusted Types policy that the page allows. */
export const FRAUD_SCRIPT_POLICY = "cardform-fraud-script";
