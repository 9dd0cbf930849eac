//! The state of the operator's handlers.

use protocol::clock::Clock;
use store::Store;

use super::key::Operator;
use super::source::ReportReplica;
use crate::events::EventCounts;

/// The state of the operator's handlers.
pub struct Reports {
    /// The database.
    pub store: Store,
    /// The copy that reports are read from, if there is one.
    pub replica: Option<ReportReplica>,
    /// The time.
    pub clock: Clock,
    /// Counts of events, with the lost ones.
    pub counts: EventCounts,
    /// Checks the operator's key; `None` if no key is set, and then nobody sees the report.
    pub operator: Option<Operator>,
}
