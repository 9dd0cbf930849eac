//! The constants of the fields (docs/rules.md). Lengths count characters, not bytes.

use std::ops::RangeInclusive;

/// How many digits a number of an unknown brand has (docs/rules.md#card-number).
pub const DEFAULT_CARD_NUMBER_LENGTH: usize = 16;
/// How many of a number's first digits identify its brand (docs/rules.md#brand-detection).
pub const BRAND_PREFIX_LENGTH: usize = 4;
/// How many of a number's first digits are enough to find its card networks (docs/rules.md#card-networks).
pub const NETWORK_PREFIX_LENGTH: usize = 8;
/// How many digits a number can have, of any brand.
pub const CARD_NUMBER_LENGTHS: RangeInclusive<usize> = 12..=19;
/// How many digits of a number stand in one group (docs/rules.md#masks).
pub const CARD_NUMBER_GROUP_LENGTH: usize = 4;

/// The length of `MM/YY`. An expiry with fewer characters, without spaces, is incomplete (docs/rules.md#expiry).
pub const EXPIRY_LENGTH: usize = 5;
/// The length of `MM / YY` (docs/rules.md#expiry).
pub const EXPIRY_DISPLAY_LENGTH_MAX: usize = 7;
/// How many years ahead a card may expire, if the experiment is on (docs/rules.md#expiry).
pub const EXPIRY_YEARS_AHEAD_MAX: u16 = 20;

/// The shortest security code, if the experiment is on (docs/rules.md#security-code).
pub const SECURITY_CODE_LENGTH_MIN: usize = 3;
/// The longest security code, if the experiment is on (docs/rules.md#security-code).
pub const SECURITY_CODE_LENGTH_MAX: usize = 4;
/// The longest security code without the experiment.
pub const SECURITY_CODE_DIGITS_MAX: usize = 10;

/// The shortest cardholder name, trimmed (docs/rules.md#cardholder-name).
pub const HOLDER_NAME_LENGTH_MIN: usize = 2;
/// The longest cardholder name, trimmed (docs/rules.md#cardholder-name).
pub const HOLDER_NAME_LENGTH_MAX: usize = 26;

/// The longest postal code, trimmed (docs/rules.md#postal-code).
pub const POSTAL_CODE_LENGTH_MAX: usize = 10;

/// The longest email that is valid (docs/rules.md#email).
pub const HOLDER_EMAIL_LENGTH_MAX: usize = 320;
/// The longest email that the input accepts (docs/rules.md#email).
pub const HOLDER_EMAIL_INPUT_LENGTH_MAX: usize = 254;
/// The fewest letters of an email's top-level part (docs/rules.md#email).
pub const HOLDER_EMAIL_TOP_LEVEL_LENGTH_MIN: usize = 2;
