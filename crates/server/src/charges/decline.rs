//! The decline codes as the charges use them. The catalogue stands in `wire`, since the page's half is generated from it.

pub use wire::DeclineCode;
