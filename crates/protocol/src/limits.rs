//! The longest texts that the service accepts; its API description has the same limits.

/// The longest name, code, reference or id, in characters.
pub const TEXT_CHARACTERS_MAX: usize = 255;
/// The longest nickname of a saved card, in characters.
pub const NICKNAME_CHARACTERS_MAX: usize = 40;
/// The longest email, in characters (docs/rules.md#email).
pub const EMAIL_CHARACTERS_MAX: usize = rules::limits::HOLDER_EMAIL_LENGTH_MAX;
/// The longest return URL, in bytes.
pub const URL_BYTES_MAX: usize = 2_048;
/// The longest custom data of a charge, in bytes. It travels in the payload, whose URL must stay short.
pub const CUSTOM_DATA_BYTES_MAX: usize = 4_096;
/// The longest text that a browser or one of its scripts sends about itself, in characters. Servers refuse longer
/// headers, so no browser sends one.
pub const BROWSER_TEXT_CHARACTERS_MAX: usize = 8_192;
/// The longest sealed card, in characters.
pub const SEALED_CARD_CHARACTERS_MAX: usize = 2_048;
/// How long the service may wait before it captures a hold by itself, in hours. Holds of most issuers end after a week.
pub const CAPTURE_AFTER_HOURS_MAX: i64 = 168;
/// How many entries metadata may have.
pub const METADATA_ENTRIES_MAX: usize = 50;
/// The longest name of an entry of metadata, in characters.
pub const METADATA_NAME_CHARACTERS_MAX: usize = 40;
/// The longest text of an entry of metadata, in characters.
pub const METADATA_TEXT_CHARACTERS_MAX: usize = 500;
