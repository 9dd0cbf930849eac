//! The vault's keys as the service has them, and the files that keys lie in.

pub mod card_vault;
pub mod key_file;
