//! Merchants and the pages of their shoppers: accounts, secret keys, client secrets, and the keys that sign them.

pub mod accounts;
pub mod callers;
pub mod keys;
