//! The patterns of texts, as regular expressions (ECMA-262), for the description of the HTTP API.

use schemars::Schema;
use serde_json::json;

use crate::charge::SETUP_AMOUNT;
use crate::limits::{METADATA_NAME_CHARACTERS_MAX, METADATA_TEXT_CHARACTERS_MAX};
use crate::webhook_event;

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
/// What a card's statement can show: at least one letter, and none of < > \ ' " *.
pub(crate) const STATEMENT: &str = r"^(?=.*[A-Za-z])[ !#-&()+-;=?-\[\]-~]{5,22}$";
/// The key of a text.
pub(crate) const TEXT_ID: &str = "^[a-z][a-z0-9_]{0,39}$";
/// A language tag (BCP 47) of at most 35 characters.
pub(crate) const LOCALE: &str = "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$";
/// The beginning of an absolute URL of the web.
pub(crate) const WEB: &str = r"^https?://[^\s/?#]";

/// Adds how long a merchant's names and texts may be, and that both have no control character.
pub(crate) fn bounded_metadata(schema: &mut Schema) {
    let name = json!({ "minLength": 1, "maxLength": METADATA_NAME_CHARACTERS_MAX, "pattern": NAMED });
    let text = json!({ "type": "string", "maxLength": METADATA_TEXT_CHARACTERS_MAX, "pattern": PLAIN });
    schema.insert("propertyNames".to_owned(), name);
    schema.insert("additionalProperties".to_owned(), text);
}

/// Lists the types of events that a list can have.
pub(crate) fn types_of_events(schema: &mut Schema) {
    let kinds: Vec<String> = webhook_event::kinds().collect();
    schema.insert("items".to_owned(), json!({ "type": "string", "enum": kinds }));
}

/// Says that a time of the capture needs a hold, and that a setup is for a shopper and takes nothing.
pub(crate) fn fields_of_charges_depend(schema: &mut Schema) {
    let hold = json!({
        "required": ["capture_method"],
        "properties": { "capture_method": { "const": "manual" } },
    });
    let setup = json!({
        "if": { "properties": { "mode": { "const": "setup" } } },
        "then": {
            "required": ["shopper_id"],
            "properties": {
                "amount_value": { "const": SETUP_AMOUNT },
                "shopper_id": { "type": "string", "minLength": 1 },
                "enable_save_payment_method": { "enum": [true, null] },
                "capture_method": { "enum": ["automatic", null] },
            },
        },
    });
    schema.insert(
        "dependentSchemas".to_owned(),
        json!({ "capture_after_hours": hold, "mode": setup }),
    );
}
