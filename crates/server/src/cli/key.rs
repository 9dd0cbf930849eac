//! The arguments of `cardform key`.

use clap::{Args, Subcommand};

use crate::config::Settings;

/// `cardform key`.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Prints a new key, a line for the file of `vault_key_file`. A new key goes to the end of the file of every node
    /// first, and then to its beginning, which makes it the active one.
    Generate {
        /// The key's id [default: a random one].
        #[arg(long)]
        id: Option<String>,
    },
    /// Changes everything that is sealed over to the active key of the vault, while the service serves: saved cards,
    /// signing keys and webhook secrets. It can be interrupted and started again. Afterwards the other keys can be taken
    /// out of the file.
    ///
    /// With --signing it makes a new key that signs client secrets and payloads instead.
    Rotate(Box<KeyRotate>),
    /// Ends a key that signs client secrets at once: what it signed opens nothing any more. When it was the one that
    /// signs, a new one takes its place.
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
    /// For how long what the signing keys before signed still counts, in seconds [default: as long as a charge and its
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
    /// A signing key; the vault's keys are ended by taking them out of the file.
    #[arg(long, required = true)]
    pub signing: bool,
    /// The key's id, `sig_…`.
    #[arg(long, value_name = "ID")]
    pub key_id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}
