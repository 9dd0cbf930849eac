//! The command line: the commands with their arguments. Each command has a file.

mod audit;
mod charge;
mod demo;
mod doctor;
mod evidence;
mod experiment;
mod init;
mod key;
mod merchant;
mod merchant_page;
mod migrate;
mod operator_name;
mod recovery;
mod serve;
mod simulator;
mod trigger;
mod vault;
mod webhook;
mod webhook_listen;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use rules::letters::is_hidden_control;
use serde_json::Value;
use store::Store;
use thiserror::Error;

use self::audit::AuditCommand;
use self::charge::ChargeCommand;
use self::demo::DemoArgs;
use self::doctor::DoctorArgs;
use self::evidence::EvidenceArgs;
use self::experiment::ExperimentCommand;
use self::init::InitArgs;
use self::key::KeyCommand;
use self::merchant::MerchantCommand;
use self::recovery::{BackupArgs, PaymentsCommand, ReconcileArgs, RestoreArgs};
use self::serve::ServeArgs;
use self::simulator::SimulatorArgs;
use self::trigger::TriggerArgs;
use self::vault::VaultCommand;
use self::webhook::WebhookCommand;
use crate::config::reference::with_reference;
use crate::config::{Config, Settings};
use crate::service::open_store;
use crate::telemetry;
use crate::telemetry::Logging;
use crate::telemetry::traces::Traces;
use crate::threads::run_on;

/// An embeddable card payment form with saved cards.
#[derive(Debug, Parser)]
#[command(name = "cardform", version)]
pub struct Cli {
    /// Prints JSON for programs instead of text for people.
    #[arg(long, global = true)]
    pub json: bool,
    /// The options for logging.
    #[command(flatten)]
    pub logging: Logging,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the process's arguments and environment. If they are wrong, or ask for help, it prints a message and ends
    /// the process.
    pub fn from_command_line() -> Self {
        let matches = with_reference(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Makes a folder with everything that `serve` needs: settings, keys, database and the first merchant.
    Init(Box<InitArgs>),
    /// Serves the form page, the payment service and the merchant API.
    Serve(Box<ServeArgs>),
    /// Serves the same with a demo shop, a simulator of the provider, and a merchant whose keys are printed.
    Demo(Box<DemoArgs>),
    /// Serves only the provider's simulator.
    Simulator(SimulatorArgs),
    /// Adds, changes and lists merchants and their secret keys.
    #[command(subcommand)]
    Merchant(MerchantCommand),
    /// Creates charges.
    #[command(subcommand)]
    Charge(ChargeCommand),
    /// Makes and rotates the keys that seal saved cards and those that sign client secrets.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Moves saved cards to another vault, and from one.
    #[command(subcommand)]
    Vault(VaultCommand),
    /// Sets merchants' webhooks, and lists events and sends them again.
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// Sends an example of an event to a merchant's webhook, correctly signed, and prints the answer.
    Trigger(Box<TriggerArgs>),
    /// Shows the audit log: changes of keys and merchants, and uses of stored cards.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Copies a SQLite database while it is used, and checks the copy.
    Backup(Box<BackupArgs>),
    /// Makes a SQLite database from a backup. Payments are closed until `cardform reconcile` has run.
    Restore(Box<RestoreArgs>),
    /// Adds payments that a restored database lacks, from the provider's list, and opens payments again.
    Reconcile(Box<ReconcileArgs>),
    /// Closes payments after a restore.
    #[command(subcommand)]
    Payments(PaymentsCommand),
    /// Explains which experiments a shopper gets.
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// Prints the evidence that PCI DSS asks for about a payment page, and compares a served page with it.
    Evidence(Box<EvidenceArgs>),
    /// Finds mistakes in an installation or in a merchant's page, and names the reason and the remedy of each.
    Doctor(Box<DoctorArgs>),
    /// Creates the database or brings it up to date; `serve` brings it up to date, too.
    Migrate(Box<Settings>),
}

/// Why a command failed.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A command got arguments that it cannot use.
#[derive(Debug, Error)]
#[error("{0}")]
struct UnusableArguments(String);

/// How a command failed, for the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandError {
    /// One line for the operator.
    pub message: String,
    /// The exit code of the process: 2 if the command got arguments that it cannot use, like errors of the command
    /// line itself; otherwise 1.
    pub exit_code: u8,
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        Self {
            exit_code: if failure.is::<UnusableArguments>() { 2 } else { 1 },
            message: one_line(failure),
        }
    }
}

/// Runs the command.
pub fn run(cli: Cli) -> Result<(), CommandError> {
    let (logging, output) = (cli.logging, Output { json: cli.json });
    let done = match cli.command {
        Command::Serve(args) => serve::run(*args, logging, output),
        Command::Demo(args) => demo::run(*args, logging, output),
        command => on_threads(None, dispatch(command, logging, output)),
    };
    telemetry::flush();
    done.map_err(CommandError::from)
}

/// Runs a command's work on this number of threads; without a number on one for each processor.
fn on_threads(
    threads: Option<usize>,
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    run_on(threads, work).map_err(|error| format!("cannot start: {error}"))?
}

/// The commands that do not serve shoppers.
async fn dispatch(command: Command, logging: Logging, output: Output) -> Result<(), Failure> {
    telemetry::start(&logging, None)?;
    match command {
        // `run` has started them, because their settings name the number of threads.
        Command::Serve(_) | Command::Demo(_) => Ok(()),
        Command::Init(args) => init::run(*args, output).await,
        Command::Simulator(args) => simulator::run(args, output).await,
        Command::Merchant(command) => merchant::run(command, output).await,
        Command::Charge(command) => charge::run(command, output).await,
        Command::Key(command) => key::run(command, output).await,
        Command::Vault(command) => vault::run(command, output).await,
        Command::Audit(command) => audit::run(command, output).await,
        Command::Webhook(command) => webhook::run(command, output).await,
        Command::Trigger(args) => trigger::run(*args, output).await,
        Command::Backup(args) => recovery::backup(*args, output).await,
        Command::Restore(args) => recovery::restore(*args, output).await,
        Command::Reconcile(args) => recovery::reconcile(*args, output).await,
        Command::Payments(command) => recovery::payments(command, output).await,
        Command::Migrate(settings) => migrate::run(*settings, output).await,
        Command::Experiment(command) => experiment::run(command, output),
        Command::Doctor(args) => doctor::run(*args, output).await,
        Command::Evidence(args) => evidence::run(*args, output).await,
    }
}

/// The settings of a command, and their database.
async fn open(settings: Settings) -> Result<(Config, Store), Failure> {
    let config = settings.resolve()?;
    let store = open_store(&config).await?;
    Ok((config, store))
}

/// Starts the log, and the traces if `config` has a collector.
fn start_telemetry(logging: &Logging, config: &Config) -> Result<Option<Traces>, Failure> {
    let traces = config.otlp_endpoint.as_ref().map(Traces::to).transpose()?;
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
    fn print_json(json: &str) -> Result<(), Failure> {
        Self { json: false }.print(&Value::Null, json)
    }

    /// Prints a line of JSON, or the text.
    fn print(self, json: &Value, text: &str) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        let json = self.json.then(|| json.to_string());
        let written = writeln!(out, "{}", for_terminal(json.as_deref().unwrap_or(text)));
        written
            .and_then(|()| out.flush())
            .map_err(|error| format!("cannot write to standard output: {error}").into())
    }
}

/// The text or JSON without characters that change what a terminal shows, such as those of a merchant's or an item's name.
/// They are escaped as in JSON.
fn for_terminal(text: &str) -> Cow<'_, str> {
    let is_hidden = |c| is_hidden_control(c) && c != '\n';
    if !text.contains(is_hidden) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            // The characters are all of the first plane, so JSON needs one escape.
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

/// A text as one line for the operator.
#[allow(clippy::needless_pass_by_value, reason = "callers give it away")]
fn one_line(error: impl std::fmt::Display) -> String {
    for_terminal(&error.to_string().replace('\n', " ")).into_owned()
}

#[cfg(test)]
mod tests;
