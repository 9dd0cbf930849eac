//! The query of the form page (specification, point 2). Nothing in it can make the page fail but the payload.

use serde::Deserialize;
use wire::FormOptions;

/// The longest `options` that is read, in bytes; the known keys take some hundred.
const OPTIONS_BYTES_MAX: usize = 8 * 1024;

/// The parameters that the server reads. `init_time` is read by the page itself.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct FormQuery {
    /// The charge intent in base64; read by [`wire::ChargeIntent::from_payload`].
    #[serde(default)]
    pub(crate) payload: String,
    /// The options of the integration, JSON.
    #[serde(default)]
    pub(crate) options: String,
    /// The theme, JSON; read by [`super::theme::Theme`].
    #[serde(default, rename = "customStyle")]
    pub(crate) custom_style: String,
}

impl FormQuery {
    /// The options; unusable ones are logged, without their contents, and ignored.
    pub(crate) fn form_options(&self) -> FormOptions {
        if self.options.is_empty() {
            return FormOptions::default();
        }
        if self.options.len() > OPTIONS_BYTES_MAX {
            tracing::warn!("the page's options are too long and are ignored");
            return FormOptions::default();
        }
        serde_json::from_str(&self.options).unwrap_or_else(|error| {
            tracing::warn!(
                line = error.line(),
                column = error.column(),
                "the page's options are unusable JSON and are ignored"
            );
            FormOptions::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(json: &str) -> FormOptions {
        FormQuery {
            options: json.into(),
            ..FormQuery::default()
        }
        .form_options()
    }

    #[test]
    fn known_options_are_read_and_unknown_ones_ignored() {
        let read =
            options(r#"{"cookie_id":"c1","show_cardholder_name":true,"variant":"hosted","colour":"red"}"#);
        assert_eq!(read.cookie_id.as_deref(), Some("c1"));
        assert!(read.show_cardholder_name);
        assert_eq!(read.variant, Some(wire::Variant::Hosted));
    }

    #[test]
    fn unusable_options_are_ignored() {
        for json in [
            "{",
            "null",
            "[]",
            "\"x\"",
            "{\"cookie_id\":7}",
            &"[".repeat(5000),
            &" ".repeat(9000),
        ] {
            assert_eq!(options(json), FormOptions::default(), "{json:.20}");
        }
    }
}
