//! What the room of pages has at hand.

use std::sync::Arc;

use page::Pages;
use store::Store;

use super::csp_reports::CspReports;
use super::embedders::Embedders;
use super::payee::Payees;
use super::settings::ServedPageSettings;
use crate::charges::Charges;
use crate::experiments::Experiments;
use crate::telemetry::metrics::Metrics;

/// What the room of pages has at hand.
pub struct ServedPages {
    /// The built page and the engines that render it.
    pub(crate) pages: Pages,
    /// What is durable.
    pub(crate) store: Store,
    /// What is paid on these pages.
    pub(crate) charges: Arc<Charges>,
    /// Which features shoppers get.
    pub(crate) experiments: Experiments,
    /// Where reports are counted.
    pub(crate) metrics: Arc<Metrics>,
    /// What pages say and where they are.
    pub(crate) settings: ServedPageSettings,
    /// Whether shoppers come over https, our own or a proxy's.
    pub(crate) is_https: bool,
    /// Whether this is demo mode, in which anything may be tried.
    pub(crate) is_demo: bool,
    pub(crate) known: KnownMerchants,
    /// What browsers reported of violations.
    pub(crate) csp_reports: CspReports,
}

/// What this process remembers of merchants.
#[derive(Default)]
pub(crate) struct KnownMerchants {
    /// Whose pages show the form.
    pub(super) embedders: Embedders,
    /// Whom payment pages pay.
    pub(super) payees: Payees,
}
