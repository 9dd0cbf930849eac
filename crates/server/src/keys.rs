//! The vault with its key ring, and the permissions of key files.

pub mod card_vault;
pub mod key_file;
