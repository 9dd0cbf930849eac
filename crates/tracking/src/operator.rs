//! The operator's page with charts at `/operator`, and the report that it shows. Both exist only if the operator has
//! set a key.

pub mod key;
pub mod range;

pub mod tallying;

mod interval;
mod report;
mod source;
mod state;
mod wrong_keys;

pub use report::make_report;
pub use report::report;
pub use source::ReportReplica;
pub use state::Reports;
