//! The payment service from outside: real HTTP, a real database file, and the real simulator over HTTP.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod access;
mod bad_bodies;
mod bad_fields;
mod bad_tokens;
mod card_testing;
mod cards;
mod challenges;
mod command_line;
mod create_charge;
mod device_data;
mod dies;
mod events;
mod events_to_kafka;
mod experiment_explain;
mod experiments;
mod growthbook_cases;
mod memory;
mod nothing_logged;
mod once;
mod openapi;
mod operating;
mod operator;
mod page_addresses;
mod page_errors;
mod page_query;
mod pay_saved_card;
mod pays;
mod process;
mod provider;
mod receiver;
mod reconciles;
mod rotate_keys;
mod save_card;
mod shop_shopper;
mod story;
mod stripe;
mod telemetry;
mod tls;
mod two_nodes;
mod visits;
mod watched;
mod webhook_commands;
mod webhooks;
mod world;
