//! The patterns of texts, as regular expressions (ECMA-262), for the description of the HTTP API.

/// No control character, which a receipt or a log could not show.
pub(crate) const PLAIN: &str = r"^[^\x00-\x1F\x7F-\x9F]*$";
/// [`PLAIN`], with at least one visible character.
pub(crate) const NAMED: &str = r"^[^\x00-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F][^\x00-\x1F\x7F-\x9F]*$";
/// A decimal number. How many digits may follow the point depends on the currency.
pub(crate) const AMOUNT: &str = r"^(0|[1-9][0-9]{0,12})(\.[0-9]{1,4})?$";
/// ISO 4217.
pub(crate) const CURRENCY: &str = "^[A-Z]{3}$";
/// ISO 3166-1 alpha-2.
pub(crate) const COUNTRY: &str = "^[A-Z]{2}$";
/// Width and height of 100 to 2000 pixels.
pub(crate) const WINDOW: &str = "^([1-9][0-9]{2}|1[0-9]{3}|2000)x([1-9][0-9]{2}|1[0-9]{3}|2000)$";
/// The beginning of an absolute URL of the web.
pub(crate) const WEB: &str = r"^https?://[^\s/?#]";
