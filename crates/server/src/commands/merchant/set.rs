//! `cardform merchant set`: changes a merchant while the service runs.

use clap::{ArgGroup, Args};
use protocol::clock::Clock;
use store::PartnerChange;

use super::{NO_MERCHANT, check_name, check_origins, check_site_ids, line, row};
use crate::commands::merchant_page::{MerchantPageArgs, checked_change, is_empty};
use crate::commands::operator_name::current_actor;
use crate::commands::{Failure, Output};
use crate::config::Settings;
use crate::service::open_store;

/// `cardform merchant set`. Arguments that are not given change nothing.
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
    /// The merchant's website and logo on its payment page.
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

pub(super) async fn run(args: MerchantSet, output: Output) -> Result<(), Failure> {
    if let Some(name) = &args.name {
        check_name(name)?;
    }
    check_origins(&args.allowed_origins)?;
    check_site_ids(&args.site_ids)?;
    let config = args.settings.resolve()?;
    let replaces_origins = args.any_origin || !args.allowed_origins.is_empty();
    let change = PartnerChange {
        name: args.name,
        allowed_origins: replaces_origins.then_some(args.allowed_origins),
        site_ids: (args.no_site_id || !args.site_ids.is_empty()).then_some(args.site_ids),
        active: args.active,
    };
    let mut page = checked_change(args.page)?;
    if args.no_website {
        page.website = Some(None);
    }
    if args.no_logo {
        page.logo = Some(None);
    }
    let store = open_store(&config).await?;
    let by = current_actor(&config, &Clock::system());
    let partner = store
        .change_partner(&args.partner_id, &change, &by)
        .await?
        .ok_or(NO_MERCHANT)?;
    if !is_empty(&page) {
        store.change_merchant_page(&partner.id, &page, &by).await?;
    }
    let shown = store.merchant_page(&partner.id).await?;
    store.close().await;
    output.print(&row(&partner, &shown), &line(&partner))
}
