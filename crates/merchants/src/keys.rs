//! Keys: the vault with its key ring, the keys that sign, and the permissions of key files.

pub mod card_vault;
pub mod key_file;
pub mod signing;
