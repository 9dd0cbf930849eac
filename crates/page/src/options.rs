//! The options of an integration, as the page's address has them (docs/form.md#options). Their names are read in the SDK's
//! spelling, too: `cookieId` is `cookie_id`.

use protocol::{Contrast, FormOptions};
use serde_json::{Map, Value};

/// The longest `options` that is read, in bytes; the known keys need a few hundred.
const OPTIONS_BYTES_MAX: usize = 8 * 1024;

/// The names of what the SDK's `mount` was given. Only the SDK sends it.
pub(crate) const GIVEN: &str = "given";

/// The options as JSON. The error is `None` if they are too long.
pub(crate) fn parsed(json: &str) -> Result<Map<String, Value>, Option<serde_json::Error>> {
    match json.len() {
        0 => Ok(Map::new()),
        1..=OPTIONS_BYTES_MAX => serde_json::from_str(json).map_err(Some),
        _ => Err(None),
    }
}

/// The options; unusable ones are logged, without their content, and ignored.
pub(crate) fn parsed_or_logged(json: &str) -> Map<String, Value> {
    parsed(json).unwrap_or_else(|error| {
        match error {
            None => tracing::warn!("the page's options are too long and are ignored"),
            Some(error) => tracing::warn!(
                line = error.line(),
                column = error.column(),
                "the page's options are unusable JSON and are ignored"
            ),
        }
        Map::new()
    })
}

/// The options. Unknown ones, and values of another type, are ignored. The SDK's forms repair contrast unless they say no.
pub(crate) fn read(given: Map<String, Value>) -> FormOptions {
    let is_of_sdk = given.contains_key(GIVEN);
    let mut options: Map<String, Value> = given
        .into_iter()
        .map(|(name, value)| (snake_case(&name), value))
        .collect();
    let mut read: FormOptions = serde_json::from_value(Value::Object(options.clone())).unwrap_or_else(|_| {
        options.retain(|name, value| fits(name, value));
        serde_json::from_value(Value::Object(options.clone())).unwrap_or_default()
    });
    if is_of_sdk && !options.contains_key("contrast") {
        read.contrast = Some(Contrast::Aa);
    }
    read
}

/// Whether the option `name` can have this value.
pub(crate) fn fits(name: &str, value: &Value) -> bool {
    let alone = Map::from_iter([(name.to_owned(), value.clone())]);
    serde_json::from_value::<FormOptions>(Value::Object(alone)).is_ok()
}

/// `showCardholderName` as `show_cardholder_name`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
