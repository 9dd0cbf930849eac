//! The arguments of `cardform key`.

use clap::{Args, Subcommand};

use crate::config::Settings;

/// `cardform key`.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Prints a new key, which is a line for the file of `vault_key_file`. First add the line at the end of the file
    /// on every node; then move it to the beginning, which makes the key the active one.
    Generate {
        /// The key's id [default: a random one].
        #[arg(long)]
        id: Option<String>,
    },
    /// Wraps everything that is sealed with the active key of the vault, while the service runs: saved cards, signing
    /// keys and webhook secrets. It can be interrupted and started again. Afterwards the other keys can be removed
    /// from the file.
    ///
    /// With --signing it makes a new key that signs client secrets and payloads instead.
    Rotate(Box<KeyRotate>),
    /// Ends a signing key at once: the client secrets and payloads that it signed are invalid from then on. If it was
    /// the active one, a new key replaces it.
    Revoke(Box<KeyRevoke>),
    /// Lists the vault's keys with what each wraps, and the signing keys.
    List(Box<Settings>),
}

/// `cardform key rotate`.
#[derive(Debug, Args)]
pub struct KeyRotate {
    /// Makes a new signing key.
    #[arg(long)]
    pub signing: bool,
    /// How long signatures of the earlier signing keys stay valid, in seconds [default: as long as a charge and its
    /// client secret live].
    #[arg(long, value_name = "S", requires = "signing")]
    pub overlap_seconds: Option<u32>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform key revoke`.
#[derive(Debug, Args)]
pub struct KeyRevoke {
    /// Revokes a signing key. To end a key of the vault, remove it from the file.
    #[arg(long, required = true)]
    pub signing: bool,
    /// The key's id, `sig_…`.
    #[arg(long, value_name = "ID")]
    pub key_id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}
