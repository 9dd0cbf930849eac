//! What is valid.
pub mod amount;
mod error_id;
pub use error_id::ErrorId;
