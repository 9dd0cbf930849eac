//! The payment service from outside: real HTTP, a real database file, and the real simulator over HTTP.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod bad_bodies;
mod bad_tokens;
mod command_line;
mod create_charge;
mod dies;
mod nothing_logged;
mod once;
mod pays;
mod process;
mod provider;
mod reconciles;
mod world;
