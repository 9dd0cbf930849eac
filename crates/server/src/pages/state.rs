//! The state of the pages' handlers.

use std::sync::Arc;

use page::{PageSettings, Pages};
use store::Store;

use super::csp_reports::CspReports;
use crate::telemetry::metrics::Metrics;
use experiments::Experiments;
use merchants::accounts::Merchants;
use payments::charges::Charges;

/// The state of the pages' handlers.
pub struct ServedPages {
    /// The built page and the engines that render it.
    pub(crate) pages: Pages,
    /// The database.
    pub(crate) store: Store,
    /// The charges that are paid on the pages.
    pub(crate) charges: Arc<Charges>,
    /// Decides which features a shopper gets.
    pub(crate) experiments: Experiments,
    /// Counts the policy violations that browsers report.
    pub(crate) metrics: Arc<Metrics>,
    /// Whether the service runs in demo mode, where anything may be tried.
    pub(crate) is_demo: bool,
    /// The merchants of the pages.
    pub(crate) merchants: Merchants,
    /// The limits and log of the browsers' reports of policy violations.
    pub(crate) csp_reports: CspReports,
}

impl ServedPages {
    /// The settings of the pages.
    pub(crate) fn settings(&self) -> &PageSettings {
        self.pages.settings()
    }
}
