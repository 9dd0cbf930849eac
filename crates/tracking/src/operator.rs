//! The operator's page with charts at `/operator`, and the report that it shows. Both exist only if the operator has
//! set a key.

pub mod key;
pub mod range;
pub mod tallying;

mod interval;
mod report;
mod source;
mod wrong_keys;

pub use report::{Reports, make_report, report};
pub use source::ReportReplica;
