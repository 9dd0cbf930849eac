//! The operator's page with charts at `/operator`, and the report that it shows. Both exist only if the operator has
//! set a key.

pub mod key;
pub mod range;

pub(crate) mod counting;

mod interval;
mod page;
mod report;
mod source;
mod state;
mod wrong_keys;

pub(crate) use page::{operator_asset, operator_page};
pub use report::make_report;
pub(crate) use report::report;
pub use source::ReportReplica;
pub use state::Reports;
