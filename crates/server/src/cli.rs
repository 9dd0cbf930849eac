//! The command line.

pub mod audit;
pub mod doctor;
pub mod evidence;
pub mod experiment;
pub mod key;
pub mod merchant;
pub mod recovery;
pub mod webhook;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use self::audit::AuditCommand;
use self::doctor::DoctorArgs;
use self::evidence::EvidenceArgs;
use self::experiment::ExperimentCommand;
use self::key::KeyCommand;
use self::merchant::MerchantCommand;
use self::recovery::{BackupArgs, PaymentsCommand, ReconcileArgs, RestoreArgs};
use self::webhook::{TriggerArgs, WebhookCommand};
use crate::config::Settings;
use crate::telemetry::Logging;

/// An embeddable card payment form with saved cards.
#[derive(Debug, Parser)]
#[command(name = "cardform", version)]
pub struct Cli {
    /// Prints JSON for programs instead of text for people.
    #[arg(long, global = true)]
    pub json: bool,
    /// What is logged.
    #[command(flatten)]
    pub logging: Logging,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the process's arguments and environment. If they are wrong, or ask for help, it prints a message and ends
    /// the process.
    pub fn from_command_line() -> Self {
        let matches = without_values(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// The same command, with help that names the environment variables but does not show their values, because some are
/// secret. This includes its subcommands.
fn without_values(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| argument.hide_env_values(true))
        .mut_subcommands(without_values)
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
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
    /// Sets merchants' webhooks, and lists events and sends them again.
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// Sends an example of an event to a merchant's webhook, correctly signed, and prints the answer.
    Trigger(Box<TriggerArgs>),
    /// Shows who changed keys and merchants, and who opened a stored card.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Copies a SQLite database while it is used, and checks the copy.
    Backup(Box<BackupArgs>),
    /// Makes a SQLite database from a backup. Payments are closed until `cardform reconcile` has run.
    Restore(Box<RestoreArgs>),
    /// Brings back the payments that the provider knows and a restored database does not, and opens payments again.
    Reconcile(Box<ReconcileArgs>),
    /// Closes payments after a restore.
    #[command(subcommand)]
    Payments(PaymentsCommand),
    /// Explains which experiments a shopper gets.
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// Prints the evidence that PCI DSS asks for about a payment page, and compares a served page with it.
    Evidence(Box<EvidenceArgs>),
    /// Says what is wrong with an installation or with a merchant's page: what, why, and what to do.
    Doctor(Box<DoctorArgs>),
    /// Creates the database or brings it up to date; `serve` brings it up to date, too.
    Migrate(Box<Settings>),
}

/// `cardform serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The service's settings.
    #[command(flatten)]
    pub settings: Settings,
    /// Creates the database if it is missing; without this, a missing database stops the start.
    #[arg(long)]
    pub create: bool,
}

/// `cardform demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where the demo keeps its database, ledger and key.
    #[arg(long, value_name = "DIR", default_value = ".cardform")]
    pub data: PathBuf,
    /// Simulated shoppers come and pay, or give up, so that the operator's page has something to show.
    #[arg(long)]
    pub with_traffic: bool,
    /// How many shoppers come per minute.
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=6_000), requires = "with_traffic")]
    pub traffic_per_minute: u32,
    /// How many shoppers come in all [default: no limit].
    #[arg(long, value_name = "N", requires = "with_traffic")]
    pub traffic_shoppers: Option<u64>,
    /// The same seed brings the same shoppers.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "with_traffic")]
    pub traffic_seed: u64,
    /// The settings. Database and provider are the demo's own.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform simulator`.
#[derive(Debug, Args)]
pub struct SimulatorArgs {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDR")]
    pub listen: SocketAddr,
    /// Where the ledger is kept [default: in memory].
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// How long each answer to a payment is delayed, in milliseconds. The payment is in the ledger before.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub latency: u64,
    /// The address of its challenge pages for shoppers' browsers [default: the listening address].
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
}

/// `cardform charge`.
#[derive(Debug, Subcommand)]
pub enum ChargeCommand {
    /// Creates a charge, as POST /v1/charges does, and prints the address where it is paid.
    Create(Box<ChargeCreate>),
    /// Tells a charge's whole story in order of time: states, attempts, calls to the provider, 3-D Secure, webhooks,
    /// audit. It has nothing of a card.
    Show(Box<ChargeShow>),
}

/// `cardform charge show`.
#[derive(Debug, Args)]
pub struct ChargeShow {
    /// The charge's id: ch_….
    #[arg(value_name = "ID")]
    pub id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform charge create`.
#[derive(Debug, Args)]
pub struct ChargeCreate {
    /// The merchant's id.
    #[arg(long)]
    pub partner_id: String,
    /// The merchant's code of what is bought.
    #[arg(long)]
    pub item_code: String,
    /// The name of what is bought.
    #[arg(long)]
    pub item_name: String,
    /// A decimal number in the currency's major unit: 12.50.
    #[arg(long)]
    pub amount_value: String,
    /// ISO 4217: USD.
    #[arg(long)]
    pub amount_currency: String,
    /// The merchant's own reference.
    #[arg(long)]
    pub partner_reference: String,
    /// The shopper's id in the vault.
    #[arg(long)]
    pub shopper_id: Option<String>,
    /// The shopper's email.
    #[arg(long)]
    pub shopper_email: Option<String>,
    /// Where the payment page leads back to.
    #[arg(long)]
    pub return_url: Option<String>,
    /// Where it leads a shopper who does not want to pay.
    #[arg(long)]
    pub cancel_url: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}
