//! Who calls: merchants and the pages of their shoppers, with accounts, secret keys, client secrets and the keys that sign
//! them, and the operators.

pub mod accounts;
pub mod callers;
pub mod keys;
pub mod operators;
