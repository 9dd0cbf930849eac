//! How many attempts to pay there may be.

/// At most so many attempts in each window of so many seconds; written `20/3600`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimit {
    /// How many.
    pub attempts: u32,
    /// The window's length; windows begin at multiples of it since 1970.
    pub window_seconds: u32,
}
