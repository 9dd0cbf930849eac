//! Cardform's server: the form page, the payment service, the merchant API, and in demo mode a shop and a simulator of
//! the provider. The binary `cardform` is this library with a command line.
//!
//! The rooms are grouped into floors. The lowest floor stands first; a room imports only from floors above it in this
//! list.

mod merchants;
pub mod operation;
mod threads;
pub mod visits;

pub mod http;

pub mod keys;

pub mod checks;
pub mod events;
pub mod experiments;
pub mod simulator;
pub mod webhooks;

pub mod callers;
pub mod telemetry;

pub mod saved_cards;

pub mod charges;

pub mod pages;

pub mod demo;
pub mod manual;
pub mod openapi;
pub mod operator;

pub mod config;

pub mod service;

pub mod evidence;

pub mod doctor;

pub mod commands;
