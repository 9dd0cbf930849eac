//! The arguments of `cardform merchant`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use crate::config::Settings;

/// `cardform merchant`.
#[derive(Debug, Subcommand)]
pub enum MerchantCommand {
    /// Adds a merchant and prints its secret key, this once.
    Add(Box<MerchantAdd>),
    /// Changes a merchant; running nodes notice within seconds.
    Set(Box<MerchantSet>),
    /// Lists the merchants.
    List(Box<Settings>),
    /// Turns a merchant's secret keys.
    #[command(subcommand)]
    Key(MerchantKeyCommand),
}

/// `cardform merchant add`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("changes").multiple(true))]
pub struct MerchantAdd {
    /// The merchant's name.
    #[arg(long)]
    pub name: String,
    /// An origin whose pages may embed the form, like <https://shop.example>; may be given again. Without any, every
    /// page may.
    #[arg(long = "allowed-origin", value_name = "ORIGIN")]
    pub allowed_origins: Vec<String>,
    /// The merchant's site at the fraud prevention, whose script its forms may load; may be given again.
    #[arg(long = "site-id", value_name = "ID")]
    pub site_ids: Vec<String>,
    /// What its payment page shows beside the name.
    #[command(flatten)]
    pub page: MerchantPageArgs,
    /// Where the merchant is told of its charges; the secret that signs the events is printed.
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform merchant set`. What is not given stays as it is.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("changes").required(true).multiple(true))]
pub struct MerchantSet {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// The merchant's name.
    #[arg(long, group = "changes")]
    pub name: Option<String>,
    /// An origin whose pages may embed the form; may be given again. They take the place of those before.
    #[arg(long = "allowed-origin", value_name = "ORIGIN", group = "changes")]
    pub allowed_origins: Vec<String>,
    /// Every page may embed the form.
    #[arg(long, group = "changes", conflicts_with = "allowed_origins")]
    pub any_origin: bool,
    /// A site at the fraud prevention whose script its forms may load; may be given again. They take the place of those
    /// before.
    #[arg(long = "site-id", value_name = "ID", group = "changes")]
    pub site_ids: Vec<String>,
    /// Its forms load no script of the fraud prevention.
    #[arg(long, group = "changes", conflicts_with = "site_ids")]
    pub no_site_id: bool,
    /// Whether it takes new charges and payments. What is under way ends as it does, and the merchant can still look.
    #[arg(long, value_name = "BOOL", group = "changes")]
    pub active: Option<bool>,
    /// What its payment page shows beside the name.
    #[command(flatten)]
    pub page: MerchantPageArgs,
    /// Its payment page links to no website.
    #[arg(long, group = "changes", conflicts_with = "website")]
    pub no_website: bool,
    /// Its payment page shows no logo.
    #[arg(long, group = "changes", conflicts_with = "logo")]
    pub no_logo: bool,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// What a merchant's payment page shows beside its name.
#[derive(Debug, Args)]
pub struct MerchantPageArgs {
    /// The merchant's website, which the payment page links to.
    #[arg(long, value_name = "URL", group = "changes")]
    pub website: Option<String>,
    /// The merchant's logo for the payment page: a PNG, JPEG or WebP file of at most 64 KiB, best 80 pixels high. It is
    /// kept in the database and served from Cardform's own origin.
    #[arg(long, value_name = "FILE", group = "changes")]
    pub logo: Option<PathBuf>,
}

/// `cardform merchant key`.
#[derive(Debug, Subcommand)]
pub enum MerchantKeyCommand {
    /// Gives the merchant a new secret key and prints it, this once. Those before stay good for a while, so that the
    /// merchant can change over.
    Roll(Box<MerchantKeyRoll>),
    /// Ends a secret key at once.
    Revoke(Box<MerchantKeyRevoke>),
    /// Lists the merchant's secret keys by their last characters, ended ones too.
    List(Box<MerchantKeyList>),
}

/// `cardform merchant key roll`.
#[derive(Debug, Args)]
pub struct MerchantKeyRoll {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// For how long the keys before stay good, in seconds; 0 ends them at once.
    #[arg(long, value_name = "S", default_value_t = 86_400)]
    pub overlap_seconds: u32,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform merchant key revoke`.
#[derive(Debug, Args)]
pub struct MerchantKeyRevoke {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// The key's id, `key_…`, as `cardform merchant key list` shows it.
    #[arg(long, value_name = "ID")]
    pub key_id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform merchant key list`.
#[derive(Debug, Args)]
pub struct MerchantKeyList {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}
