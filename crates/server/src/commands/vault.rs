//! `cardform vault`: moves saved cards to another vault, and from one, in a file that only the recipient's OpenPGP key opens
//! (docs/moving-cards.md).

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use payments::saved_cards::transfer::{Import, ImportReport, OwnKey, Recipient, export};
use protocol::clock::Clock;
use serde_json::{Value, json};
use store::Store;
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

use super::key::vault;
use super::merchant::NO_MERCHANT;
use super::operator_name::current_actor;
use super::recovery::named_after;
use super::{Failure, Output, open};
use crate::config::{Config, Settings};

/// `cardform vault`.
#[derive(Debug, Subcommand)]
pub enum VaultCommand {
    /// Writes the saved cards into a new file that only the recipient's OpenPGP key opens. The audit log gets a line for
    /// each card.
    Export(Box<VaultExport>),
    /// Saves the cards of a file that is encrypted with OpenPGP. Nothing is saved if a row is wrong; cards that are here
    /// already do not change.
    Import(Box<VaultImport>),
}

/// `cardform vault export`.
#[derive(Debug, Args)]
pub struct VaultExport {
    /// The file with the recipient's public OpenPGP key.
    #[arg(long, value_name = "KEYFILE")]
    pub recipient: PathBuf,
    /// The file to write, which must not exist; in a folder, a new file that is named after the time [default: in this
    /// folder].
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    /// Only the cards of this merchant.
    #[arg(long, value_name = "ID")]
    pub partner_id: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform vault import`.
#[derive(Debug, Args)]
pub struct VaultImport {
    /// The encrypted file.
    #[arg(value_name = "FILE")]
    pub from: PathBuf,
    /// The file with your secret OpenPGP key, for whose public key the file was encrypted.
    #[arg(long, value_name = "KEYFILE")]
    pub key: PathBuf,
    /// The file with the passphrase of your key.
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// The merchant that gets all cards [default: each row names its merchant].
    #[arg(long, value_name = "ID")]
    pub partner_id: Option<String>,
    /// Only says what would happen.
    #[arg(long)]
    pub dry_run: bool,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

pub(super) async fn run(command: VaultCommand, output: Output) -> Result<(), Failure> {
    match command {
        VaultCommand::Export(args) => run_export(*args, output).await,
        VaultCommand::Import(args) => run_import(*args, output).await,
    }
}

async fn run_export(args: VaultExport, output: Output) -> Result<(), Failure> {
    let clock = Clock::system();
    let (config, store) = open(args.settings).await?;
    let recipient = Recipient::read(&read(&args.recipient)?, clock.now_seconds())
        .map_err(|error| about(&args.recipient, error))?;
    let to = match args.to {
        Some(file) if !file.is_dir() => file,
        folder => folder
            .unwrap_or_default()
            .join(named_after(clock.now_ms(), "csv.pgp")),
    };
    let file = NewFile::beside(&to)?;
    let ring = card_keys(&config)?;
    must_exist(&store, args.partner_id.as_deref()).await?;
    let fingerprint = recipient.fingerprint();
    let detail = json!({ "recipient": fingerprint, "file": name(&to) });
    let by = current_actor(&config, &clock);
    let out = BufWriter::new(file.writer()?);
    let exported = export(
        (&store, &ring),
        args.partner_id.as_deref(),
        recipient,
        (&by, &detail),
        out,
    )
    .await;
    store.close().await;
    let exported = exported?;
    if exported.unusable_count > 0 {
        return Err(format!(
            "none of these keys opens {} cards, among them {}; nothing was written. Add the older keys to the \
             vault's file",
            exported.unusable_count,
            exported.unusable.join(" ")
        )
        .into());
    }
    file.name(&to)?;
    output.print(
        &json!({ "export": to.display().to_string(), "cards": exported.cards, "recipient": fingerprint }),
        &format!(
            "{} cards in {}, for the key {fingerprint}",
            exported.cards,
            to.display()
        ),
    )
}

async fn run_import(args: VaultImport, output: Output) -> Result<(), Failure> {
    let clock = Clock::system();
    let (config, store) = open(args.settings).await?;
    let passphrase = args.passphrase_file.as_deref().map(read).transpose()?;
    let passphrase = passphrase.as_ref().map(|text| text.trim_ascii_end());
    let key = OwnKey::read(&read(&args.key)?, passphrase).map_err(|error| about(&args.key, error))?;
    let file = File::open(&args.from).map_err(|error| about(&args.from, error))?;
    let ring = card_keys(&config)?;
    must_exist(&store, args.partner_id.as_deref()).await?;
    let import = Import {
        store: &store,
        ring: &ring,
        networks: &config.card_networks,
        clock: &clock,
        partner_id: args.partner_id.as_deref(),
        file,
        key: Arc::new(key),
    };
    let in_file = |error| about(&args.from, error);
    let mut report = import.check().await.map_err(in_file)?;
    if report.refused_count == 0 && !args.dry_run {
        let detail = json!({ "file": name(&args.from) });
        report = import
            .save(&current_actor(&config, &clock), &detail)
            .await
            .map_err(in_file)?;
    }
    store.close().await;
    if report.refused_count > 0 {
        return Err(about(&args.from, refusal(&report)));
    }
    output.print(&row(&report, args.dry_run), &text(&report, args.dry_run))
}

/// The keys that seal the cards.
fn card_keys(config: &Config) -> Result<Arc<::vault::KeyRing>, Failure> {
    let vault = vault(config)?;
    let vault = vault
        .ok_or("there are no keys: set vault_key_file (--vault-key-file FILE, CARDFORM_VAULT_KEY_FILE)")?;
    Ok(vault.ring())
}

async fn must_exist(store: &Store, partner_id: Option<&str>) -> Result<(), Failure> {
    match partner_id {
        Some(id) if store.partner(id).await?.is_none() => Err(NO_MERCHANT.into()),
        _ => Ok(()),
    }
}

/// The content of a file, which may be a secret.
fn read(file: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    std::fs::read(file)
        .map(Zeroizing::new)
        .map_err(|error| about(file, error))
}

fn about(file: &Path, cause: impl std::fmt::Display) -> Failure {
    format!("{}: {cause}", file.display()).into()
}

/// The name of a file without its folder.
fn name(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn refusal(report: &ImportReport) -> String {
    let rows: Vec<String> = report
        .refused
        .iter()
        .map(|row| format!("line {}: {}", row.line, row.reason))
        .collect();
    format!(
        "nothing was imported, because {} rows are wrong, among them {}",
        report.refused_count,
        rows.join("; ")
    )
}

fn row(report: &ImportReport, is_dry_run: bool) -> Value {
    let other_ids: Vec<Value> = report
        .other_ids
        .iter()
        .map(|other| json!({ "line": other.line, "in_file": other.in_file, "here": other.here }))
        .collect();
    json!({
        "new": report.new, "already_saved": report.already_saved, "other_id": report.other_id_count,
        "other_ids": other_ids, "dry_run": is_dry_run,
    })
}

fn text(report: &ImportReport, is_dry_run: bool) -> String {
    let (new, already) = (report.new, report.already_saved);
    let counts = if is_dry_run {
        format!("{new} cards would be saved, {already} are here already; nothing was changed")
    } else {
        format!("{new} cards were saved, {already} were here already")
    };
    let others = report.other_ids.iter();
    let others = others.map(|other| format!("line {}: {} is {} here", other.line, other.in_file, other.here));
    let lines: Vec<String> = std::iter::once(counts).chain(others).collect();
    lines.join("\n")
}

/// A file that gets its name only when it is complete. Otherwise it is removed.
struct NewFile(NamedTempFile);

impl NewFile {
    /// A file beside `to`, which only its owner can read.
    fn beside(to: &Path) -> Result<Self, Failure> {
        if to.exists() {
            return Err(about(to, "it exists already; nothing was overwritten"));
        }
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = tempfile::Builder::new()
            .prefix(".cardform-vault-")
            .tempfile_in(folder.unwrap_or(Path::new(".")));
        file.map(Self).map_err(|error| about(to, error))
    }

    fn writer(&self) -> Result<File, Failure> {
        Ok(self.0.as_file().try_clone()?)
    }

    /// Flushes the file to the disk and names it.
    fn name(self, to: &Path) -> Result<(), Failure> {
        self.0.as_file().sync_all().map_err(|error| about(to, error))?;
        self.0
            .persist_noclobber(to)
            .map_err(|error| about(to, error.error))?;
        Ok(())
    }
}
