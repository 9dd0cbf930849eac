//! The query of the form page (docs/form.md#query). Only the payload can make the page fail.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use protocol::{FormOptions, ServiceAddress};
use rules::origin::{HOST_BYTES_MAX, LABEL_BYTES_MAX};

use super::settings::PageSettings;

/// The longest `options` that is read, in bytes; the known keys need a few hundred.
const OPTIONS_BYTES_MAX: usize = 8 * 1024;

/// The port of a dynamic environment's service (docs/calls.md#dynamic-environments).
const DYNAMIC_ENVIRONMENT_PORT: u16 = 8_092;
/// The largest number that a page's script can represent exactly: 2⁵³ - 1.
const INIT_TIME_MAX: u64 = 9_007_199_254_740_991;

/// The names of the parameters, in the order of the fields of [`FormQuery`].
const PARAMETERS: [&str; 5] = ["payload", "options", "customStyle", "origin", "init_time"];

/// The parameters of the page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FormQuery {
    /// The charge intent in base64; read by [`protocol::ChargeIntent::from_payload`].
    pub payload: String,
    /// The options of the integration, JSON.
    pub options: String,
    /// `customStyle`: the theme, JSON; read by [`super::theme::Theme`].
    pub custom_style: String,
    /// The host of a dynamic environment; read by [`FormQuery::service`].
    pub origin: String,
    /// When the shopper started on the way to the page; read by [`FormQuery::init_time_ms`].
    pub init_time: String,
}

impl FormQuery {
    /// The parameters in the query of an address. Others are ignored. A query that has one of them twice has none: which
    /// one is meant is not known. Ours and not `serde_urlencoded`, which looks at each byte of a payload four times.
    pub fn read(query: &str) -> Self {
        let mut values: [Option<String>; PARAMETERS.len()] = Default::default();
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decoded(name);
            let Some(place) = PARAMETERS.iter().position(|known| *known == name) else {
                continue;
            };
            if values[place].replace(decoded(value).into_owned()).is_some() {
                return Self::default();
            }
        }
        let [payload, options, custom_style, origin, init_time] = values.map(Option::unwrap_or_default);
        Self {
            payload,
            options,
            custom_style,
            origin,
            init_time,
        }
    }

    /// The options; invalid ones are logged, without their content, and ignored.
    pub fn form_options(&self) -> FormOptions {
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

    /// The service that the page calls: the dynamic environment that `origin` names, if it is a host below the
    /// operator's suffix, otherwise ours. A card is never sent to a host that only a link names.
    pub fn service(&self, settings: &PageSettings) -> ServiceAddress {
        let suffix = settings.dynamic_environment_suffix.as_deref();
        let host = self.origin.to_ascii_lowercase();
        let is_below = |suffix: &str| {
            let before = host.strip_suffix(suffix).and_then(|rest| rest.strip_suffix('.'));
            before.is_some_and(|name| !name.is_empty()) && is_host(&host)
        };
        if suffix.is_some_and(is_below) {
            let scheme = if settings.is_https { "https" } else { "http" };
            ServiceAddress::dynamic(format!("{scheme}://{host}:{DYNAMIC_ENVIRONMENT_PORT}"))
        } else {
            ServiceAddress::own()
        }
    }

    /// When the shopper started on the way to the page, in milliseconds since 1970, without fractions. An invalid time
    /// is ignored.
    pub fn init_time_ms(&self) -> Option<u64> {
        let (whole, fraction) = self.init_time.split_once('.').unwrap_or((&self.init_time, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let time: u64 = (are_digits(whole) && are_digits(fraction)).then(|| whole.parse().ok())??;
        (1..=INIT_TIME_MAX).contains(&time).then_some(time)
    }
}

/// A name or value of a query, as forms encode it. Bytes that are not UTF-8 are replaced.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') && !text.contains('+') {
        return text.into();
    }
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8_lossy().into_owned();
    decoded.into()
}

/// Whether `text` is a host name in lower case with at least two parts. A part in another script is refused, because
/// such names can look like another host's.
pub fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && !label.starts_with("xn--")
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    text.len() <= HOST_BYTES_MAX && text.contains('.') && text.split('.').all(is_label)
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
    fn a_query_is_read_as_forms_encode_it() {
        let read =
            FormQuery::read("payload=a-_b&options=%7B%22a%22%3A+1%7D&&customStyle=%ff&utm=x&init_time");
        assert_eq!(read.payload, "a-_b");
        assert_eq!(read.options, "{\"a\": 1}");
        assert_eq!(read.custom_style, "\u{fffd}");
        assert_eq!((read.origin.as_str(), read.init_time.as_str()), ("", ""));
        assert_eq!(FormQuery::read("p%61yload=a+b%2Bc").payload, "a b+c");
        assert_eq!(FormQuery::read("payload=a=b").payload, "a=b");
        assert_eq!(FormQuery::read(""), FormQuery::default());
    }

    #[test]
    fn a_parameter_that_stands_twice_is_none() {
        assert_eq!(
            FormQuery::read("payload=a&options={}&payload=a"),
            FormQuery::default()
        );
        assert_eq!(FormQuery::read("other=1&payload=a&other=2").payload, "a");
    }

    #[test]
    fn known_options_are_read_and_unknown_ones_ignored() {
        let read =
            options(r#"{"cookie_id":"c1","show_cardholder_name":true,"variant":"hosted","color":"red"}"#);
        assert_eq!(read.cookie_id.as_deref(), Some("c1"));
        assert!(read.show_cardholder_name);
        assert_eq!(read.variant, Some(protocol::Variant::Hosted));
    }

    #[test]
    fn invalid_event_attributes_leave_other_options_intact() {
        for (given, kept) in [
            (
                r#"{"plan":"gold","seats":3,"trial":true}"#,
                Some(r#"{"plan":"gold","seats":3,"trial":true}"#),
            ),
            (
                r#"{"plan":"gold","who":{"a":1},"list":[1],"none":null}"#,
                Some(r#"{"plan":"gold"}"#),
            ),
            ("7", None),
            ("null", None),
            ("[]", None),
        ] {
            let read = options(&format!(r#"{{"cookie_id":"c1","event_attributes":{given}}}"#));
            assert_eq!(read.cookie_id.as_deref(), Some("c1"), "{given}");
            let attributes = read
                .event_attributes
                .map(|data| serde_json::to_string(&data).unwrap());
            assert_eq!(attributes.as_deref(), kept, "{given}");
        }
        let many: Vec<String> = (0..40).map(|number| format!("\"a{number}\":1")).collect();
        let read = options(&format!(r#"{{"event_attributes":{{{}}}}}"#, many.join(",")));
        assert_eq!(
            read.event_attributes.unwrap().len(),
            protocol::EVENT_DATA_ENTRIES_MAX
        );
    }

    fn called(origin: &str, suffix: Option<&str>) -> String {
        let query = FormQuery {
            origin: origin.to_owned(),
            ..FormQuery::default()
        };
        query.service(&below(suffix, true)).direct_charges
    }

    fn below(suffix: Option<&str>, is_https: bool) -> PageSettings {
        PageSettings {
            dynamic_environment_suffix: suffix.map(str::to_owned),
            is_https,
            ..PageSettings::default()
        }
    }

    #[test]
    fn a_host_below_the_suffix_is_called_instead_of_ours() {
        for (origin, host) in [
            ("feature-1.dev.example", "feature-1.dev.example"),
            ("a.b.dev.example", "a.b.dev.example"),
            ("Feature-2.DEV.example", "feature-2.dev.example"),
        ] {
            let address = called(origin, Some("dev.example"));
            assert_eq!(address, format!("https://{host}:8092/direct/charges"));
        }
        let query = FormQuery {
            origin: "a.dev.example".to_owned(),
            ..FormQuery::default()
        };
        assert_eq!(
            query.service(&below(Some("dev.example"), false)).base,
            "http://a.dev.example:8092"
        );
    }

    #[test]
    fn no_other_host_is_ever_called() {
        for origin in [
            "",
            ".",
            "dev.example",
            ".dev.example",
            "a..dev.example",
            "a.dev.example.",
            "evildev.example",
            "a.dev.example.evil.com",
            "evil.com/.dev.example",
            "evil.com#.dev.example",
            "evil.com?.dev.example",
            "evil.com\\.dev.example",
            "user@a.dev.example",
            "evil.com:443@a.dev.example",
            "a.dev.example:8092",
            "a.dev.example/",
            "https://a.dev.example",
            "//a.dev.example",
            "-a.dev.example",
            "a-.dev.example",
            "a_b.dev.example",
            "a b.dev.example",
            " a.dev.example",
            "a.dev.example\r\nx: y",
            "a;script-src *.dev.example",
            "xn--80ak6aa92e.dev.example",
            "аррӏе.dev.example",
            "a.dev。example",
            "a.dev.exаmple",
            "a%2edev.example",
            "*.dev.example",
            "[::1].dev.example",
            &format!("{}.dev.example", "a".repeat(64)),
            &format!("{}dev.example", "a.".repeat(130)),
        ] {
            assert_eq!(
                called(origin, Some("dev.example")),
                "/v1/pub/direct/charges",
                "{origin}"
            );
        }
        assert_eq!(called("a.dev.example", None), "/v1/pub/direct/charges");
    }

    #[test]
    fn an_invalid_init_time_is_ignored() {
        let read = |init_time: &str| {
            let init_time = init_time.to_owned();
            FormQuery {
                init_time,
                ..FormQuery::default()
            }
            .init_time_ms()
        };
        assert_eq!(read("1763740800123"), Some(1_763_740_800_123));
        assert_eq!(read("1763740800123.7"), Some(1_763_740_800_123));
        assert_eq!(read("9007199254740991"), Some(INIT_TIME_MAX));
        for bad in [
            "",
            "0",
            "-1",
            "+1",
            "1e12",
            "NaN",
            "Infinity",
            " 1",
            "1.",
            ".5",
            "1.2.3",
            "0x10",
            "１２",
            "9007199254740992",
            "99999999999999999999999",
            "<script>",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
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
