//! Demo mode: a shop with simulated shoppers, and the simulator of a payment provider.

pub mod shop;
pub mod simulator;
