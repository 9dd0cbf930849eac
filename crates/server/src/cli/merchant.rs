//! The arguments of `cardform merchant`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use crate::config::Settings;

/// `cardform merchant`.
#[derive(Debug, Subcommand)]
pub enum MerchantCommand {
    /// Adds a merchant and prints its secret key, which is not shown again.
    Add(Box<MerchantAdd>),
    /// Changes a merchant; running nodes notice within seconds.
    Set(Box<MerchantSet>),
    /// Lists the merchants.
    List(Box<Settings>),
    /// Gives a merchant new secret keys, ends and lists them.
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
    /// An origin whose pages may embed the form, like <https://shop.example>; can be repeated. Without it every page
    /// may embed the form.
    #[arg(long = "allowed-origin", value_name = "ORIGIN")]
    pub allowed_origins: Vec<String>,
    /// The merchant's site id at the fraud prevention, whose script its forms may load; can be repeated.
    #[arg(long = "site-id", value_name = "ID")]
    pub site_ids: Vec<String>,
    /// What the merchant's payment page shows beside its name.
    #[command(flatten)]
    pub page: MerchantPageArgs,
    /// The address to which the merchant's events are posted; the secret that signs them is printed.
    #[arg(long, value_name = "URL")]
    pub webhook_url: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub settings: Settings,
}

/// `cardform merchant set`. What is not given does not change.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("changes").required(true).multiple(true))]
pub struct MerchantSet {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// The merchant's name.
    #[arg(long, group = "changes")]
    pub name: Option<String>,
    /// An origin whose pages may embed the form; can be repeated. The new ones replace the earlier ones.
    #[arg(long = "allowed-origin", value_name = "ORIGIN", group = "changes")]
    pub allowed_origins: Vec<String>,
    /// Every page may embed the form.
    #[arg(long, group = "changes", conflicts_with = "allowed_origins")]
    pub any_origin: bool,
    /// A site id at the fraud prevention, whose script the merchant's forms may load; can be repeated. The new ones
    /// replace the earlier ones.
    #[arg(long = "site-id", value_name = "ID", group = "changes")]
    pub site_ids: Vec<String>,
    /// The merchant's forms load no script of the fraud prevention.
    #[arg(long, group = "changes", conflicts_with = "site_ids")]
    pub no_site_id: bool,
    /// Whether the merchant takes new charges and payments. Payments under way still finish, and it can still read its
    /// charges.
    #[arg(long, value_name = "BOOL", group = "changes")]
    pub active: Option<bool>,
    /// What the merchant's payment page shows beside its name.
    #[command(flatten)]
    pub page: MerchantPageArgs,
    /// The payment page links to no website.
    #[arg(long, group = "changes", conflicts_with = "website")]
    pub no_website: bool,
    /// The payment page shows no logo.
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
    /// Gives the merchant a new secret key and prints it; it is not shown again. Earlier keys stay valid for a while,
    /// so that the merchant has time to switch.
    Roll(Box<MerchantKeyRoll>),
    /// Ends a secret key at once.
    Revoke(Box<MerchantKeyRevoke>),
    /// Lists the merchant's secret keys by their last characters, including ended ones.
    List(Box<MerchantKeyList>),
}

/// `cardform merchant key roll`.
#[derive(Debug, Args)]
pub struct MerchantKeyRoll {
    /// The merchant's id.
    #[arg(long, value_name = "ID")]
    pub partner_id: String,
    /// How long earlier keys stay valid, in seconds; 0 ends them at once.
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
