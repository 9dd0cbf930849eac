//! Where card numbers rest. Knows no SQL and no HTTP.

mod pan;
mod security_code;

pub use pan::{PAN_DIGITS_MAX, PAN_DIGITS_MIN, Pan, PanError};
pub use security_code::{SECURITY_CODE_DIGITS_MAX, SecurityCode, SecurityCodeError};
