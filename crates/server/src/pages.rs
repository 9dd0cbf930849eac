//! The addresses of the page: which page a request gets, the amount and payee that it shows, and its files. The page
//! itself is `crates/page`.

mod admission;
mod csp_reports;
mod document;
pub(crate) mod embedding;
pub(crate) mod return_from_challenge;

mod logo;
mod payee;

mod state;

mod failed_pages;
mod routing;

mod amount;

mod expected_form;
mod form_document;
pub(crate) mod render_ahead;

mod operator_page;

mod builds;
mod file;

pub use failed_pages::or_failed_page;
pub use routing::{form_page, page_not_found};
pub use state::ServedPages;

pub(crate) use amount::amount_in_locale;
pub(crate) use builds::{build_meta, build_payload, keep_assets, latest_build, page_asset, rewrap_assets};
pub(crate) use csp_reports::{CspReports, csp_reports};
pub(crate) use embedding::embedding;
pub(crate) use expected_form::{ExpectedForm, FormRequest, ServiceDecisions, expected_form};
pub(crate) use file::{locale_messages, sdk_asset};
pub(crate) use logo::{LOGO_BYTES_MAX, merchant_logo, read_logo};
pub(crate) use operator_page::{operator_asset, operator_page};
pub(crate) use return_from_challenge::return_from_challenge;
