//! What the room of the operator has at hand.

use model::clock::Clock;
use store::Store;

use super::key::Operator;
use crate::events::EventCounts;

/// What the room of the operator has at hand.
pub struct Reports {
    /// What is durable.
    pub(crate) store: Store,
    /// The time.
    pub(crate) clock: Clock,
    /// Events that were lost.
    pub(crate) counts: EventCounts,
    /// Who sees the report; absent, nobody does.
    pub operator: Option<Operator>,
}
