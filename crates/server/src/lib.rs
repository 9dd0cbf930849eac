//! Cardform's server: the form page, the payment service, the merchant API, and in demo mode a shop and a simulator of
//! the provider. The binary `cardform` is this library with a command line.

pub mod cli;
pub mod commands;

pub mod config;
pub mod http;
pub mod service;

pub mod pages;

pub mod experiments;

mod card_numbers;
pub mod charges;
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

pub mod telemetry;
