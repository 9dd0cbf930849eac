//! Cardform's server: the form page, the payment service, the merchant API, and in demo mode a shop and a simulator of
//! the provider. The binary `cardform` is this library with a command line.

mod fixed_answer;
mod threads;

pub mod telemetry;

pub mod pages;

pub mod manual;
pub mod openapi;

pub mod config;

pub mod service;

pub mod evidence;

pub mod doctor;

pub mod commands;
