//! The report that the operator's page shows.

pub mod range;
pub mod tallying;

mod interval;
mod report;
mod source;

pub use report::{Reports, make_report, report};
pub use source::ReportReplica;
