//! `cardform merchant set`: changes a merchant while the service runs.

use model::clock::Clock;
use store::PartnerChange;

use super::{check_name, check_origins, check_site_ids, row, text, with_page};
use crate::cli::merchant::MerchantSet;
use crate::commands::merchant_page::{checked_change, is_empty};
use crate::commands::operator_name::current_actor;
use crate::commands::{Output, one_line};
use crate::service::open_store;

pub(super) async fn run(args: MerchantSet, output: Output) -> Result<(), String> {
    if let Some(name) = &args.name {
        check_name(name)?;
    }
    check_origins(&args.allowed_origins)?;
    check_site_ids(&args.site_ids)?;
    let config = args.settings.resolve().map_err(one_line)?;
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
    let store = open_store(&config).await.map_err(one_line)?;
    let by = current_actor(&config, &Clock::system());
    let partner = store
        .change_partner(&args.partner_id, &change, &by)
        .await
        .map_err(one_line)?
        .ok_or("there is no merchant with this --partner-id")?;
    if !is_empty(&page) {
        store
            .change_merchant_page(&partner.id, &page, &by)
            .await
            .map_err(one_line)?;
    }
    let shown = store.merchant_page(&partner.id).await.map_err(one_line)?;
    store.close().await;
    output.print(&with_page(row(&partner), &shown), &text(&partner))
}
