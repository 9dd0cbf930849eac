//! What each command does. Each command has a file.

mod audit;
mod charge;
mod demo;
mod doctor;
mod evidence;
mod experiment;
mod key;
mod merchant;
mod merchant_page;
mod migrate;
mod operator_name;
mod recovery;
mod serve;
mod simulator;
mod trigger;
mod webhook;
mod webhook_listen;

use std::io::Write;

use serde_json::Value;

use crate::cli::{Cli, Command};
use crate::config::Config;
use crate::telemetry;
use crate::telemetry::Logging;
use crate::telemetry::traces::Traces;
use crate::threads::run_on;

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandError {
    /// One line for the operator.
    pub message: String,
    /// The exit code of the process: 2 if the command got arguments that it cannot use, like errors of the command
    /// line itself; otherwise 1.
    pub exit_code: u8,
}

impl From<String> for CommandError {
    fn from(message: String) -> Self {
        Self {
            message,
            exit_code: 1,
        }
    }
}

/// Runs the command.
pub fn run(cli: Cli) -> Result<(), CommandError> {
    let (logging, output) = (cli.logging, Output { json: cli.json });
    let done = match cli.command {
        Command::Serve(args) => serve::run(*args, logging, output).map_err(CommandError::from),
        Command::Demo(args) => demo::run(*args, logging, output).map_err(CommandError::from),
        command => on_threads(None, dispatch(command, logging, output)),
    };
    telemetry::flush();
    done
}

/// Runs a command's work on so many threads; without a number on as many as there are processors.
fn on_threads<E: From<String>>(
    threads: Option<usize>,
    work: impl Future<Output = Result<(), E>>,
) -> Result<(), E> {
    run_on(threads, work).map_err(|error| format!("cannot start: {error}"))?
}

/// The commands that do not serve shoppers.
async fn dispatch(command: Command, logging: Logging, output: Output) -> Result<(), CommandError> {
    telemetry::start(&logging, None)?;
    match command {
        // Their settings say on how many threads they run, so they have started before.
        Command::Serve(_) | Command::Demo(_) => Ok(()),
        Command::Simulator(args) => simulator::run(args, output).await,
        Command::Merchant(command) => merchant::run(command, output).await,
        Command::Charge(command) => charge::run(command, output).await,
        Command::Key(command) => key::run(command, output).await,
        Command::Audit(command) => audit::run(command, output).await,
        Command::Webhook(command) => webhook::run(command, output).await,
        Command::Trigger(args) => trigger::run(*args, output).await,
        Command::Backup(args) => recovery::backup(*args, output).await,
        Command::Restore(args) => recovery::restore(*args, output).await,
        Command::Reconcile(args) => recovery::reconcile(*args, output).await,
        Command::Payments(command) => recovery::payments(command, output).await,
        Command::Migrate(settings) => migrate::run(*settings, output).await,
        Command::Experiment(command) => return experiment::run(command, output),
        Command::Doctor(args) => return doctor::run(*args, output).await,
        Command::Evidence(args) => return evidence::run(*args, output).await,
    }
    .map_err(CommandError::from)
}

/// Starts the log, and the traces if `config` has a collector.
fn start_telemetry(logging: &Logging, config: &Config) -> Result<Option<Traces>, String> {
    let traces = config
        .otlp_endpoint
        .as_ref()
        .map(Traces::to)
        .transpose()
        .map_err(one_line)?;
    telemetry::start(logging, traces.as_ref())?;
    Ok(traces)
}

/// How a command writes to standard output: as JSON or as text.
#[derive(Debug, Clone, Copy)]
struct Output {
    json: bool,
}

impl Output {
    /// Prints a text that is already JSON.
    fn print_json(json: &str) -> Result<(), String> {
        Self { json: false }.print(&Value::Null, json)
    }

    /// Prints a line of JSON, or the text.
    fn print(self, json: &Value, text: &str) -> Result<(), String> {
        let mut out = std::io::stdout().lock();
        let written = if self.json {
            writeln!(out, "{json}")
        } else {
            writeln!(out, "{text}")
        };
        written
            .and_then(|()| out.flush())
            .map_err(|error| format!("cannot write to standard output: {error}"))
    }
}

/// An error as one line for the operator.
#[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn one_line(error: impl std::fmt::Display) -> String {
    error.to_string().replace('\n', " ")
}
