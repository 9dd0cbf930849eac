//! The binary `cardform`: reads the command line, runs the command, and says in one line why it could not.

use std::process::ExitCode;

use clap::Parser;
use server::cli::Cli;

fn main() -> ExitCode {
    match server::commands::run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("cardform: {message}");
            ExitCode::FAILURE
        }
    }
}
