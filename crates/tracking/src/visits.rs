//! Visits, made from events: each accepted event is added to its visit in memory, and changed visits are written every
//! second. Neither payments nor requests with events wait for this.

mod pending;
mod visit_event;

pub use pending::Visits;
pub use pending::run;
pub use visit_event::VisitEvent;
