//! How busy the connections to the database are, for the operator's metrics. Reading it waits for nothing.

/// The connections of one process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolState {
    /// How many there may be.
    pub max: usize,
    /// How many are in use.
    pub in_use: usize,
    /// How many are open and free.
    pub idle: usize,
    /// How many statements and transactions wait for one.
    pub waiting: usize,
}
