//! Cardform's server: the form page, the payment service, the merchant API, and in demo mode a shop and a simulator of
//! the provider. The binary
//! `cardform` is this library with a command line.

pub mod cli;
pub mod commands;

pub mod config;
pub mod connection;
pub mod connections;
mod exposure;
pub mod listener;
pub mod service;
pub mod tls;
pub mod traces;

pub mod app;
pub mod routes;

pub mod metrics;
pub mod pages;
pub mod readiness;

pub mod experiments;

pub mod callers;
mod card_numbers;
mod carried_card;
pub mod charges;
pub mod client_ip;
pub mod json_body;
pub mod path_id;
pub mod saved_cards;
pub mod signing;

pub mod webhooks;

pub mod events;

pub mod evidence;
pub mod openapi;
pub mod operator;
pub mod visits;

pub mod simulator;

pub mod demo;
pub mod demo_mode;

pub mod housekeeping;
pub mod key_files;

pub mod api_error;
pub mod telemetry;
