//! The events of shoppers' pages, the visits that are made of them, and the operator's report.

pub mod events;
pub mod operator;
pub mod visits;
