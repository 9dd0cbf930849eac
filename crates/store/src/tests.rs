//! What the tests of several entities share.

pub(crate) mod database;
