//! Visits as their events tell of them: each accepted event is folded into its visit in memory, and what changed is
//! written every second. Nobody who pays or sends events waits for any of it.

mod pending;
mod visit_event;

pub use pending::Visits;
pub(crate) use pending::run;
pub use visit_event::VisitEvent;
