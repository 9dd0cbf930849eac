//! The attributes: what experiments know about a shopper (docs/experiments.md#the-features-document). They come from
//! the payload or from the stored charge.

use growthbook_rust::model_public::{GrowthBookAttribute, GrowthBookAttributeValue};
use protocol::ChargeIntent;
use serde_json::{Map, Value};

use store::Charge;

/// The attributes of one shopper and charge.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributes(Vec<GrowthBookAttribute>);

/// The fields that an intent and its stored charge have in common.
struct SharedAttributes<'a> {
    cookie_id: Option<&'a str>,
    charge_id: &'a str,
    country: &'a str,
    currency: &'a str,
    partner_id: &'a str,
    custom_data: &'a str,
}

impl Attributes {
    /// For the page of `intent` and the shopper with this cookie id.
    pub fn of_intent(intent: &ChargeIntent, cookie_id: &str) -> Self {
        Self::of(&SharedAttributes {
            cookie_id: Some(cookie_id),
            charge_id: &intent.charge_id,
            country: &intent.payment_method_country_code,
            currency: &intent.amount_currency,
            partner_id: &intent.partner_id,
            custom_data: &intent.partner_custom_data,
        })
    }

    /// For a stored charge, which has the same values as its intent. Without a cookie id there is no attribute `id`.
    pub fn of_charge(charge: &Charge, cookie_id: Option<&str>) -> Self {
        Self::of(&SharedAttributes {
            cookie_id,
            charge_id: &charge.id,
            country: &charge.payment_method_country_code,
            currency: &charge.amount_currency,
            partner_id: &charge.partner_id,
            custom_data: &charge.partner_custom_data,
        })
    }

    /// For a shopper of whom only the cookie id is known.
    pub fn of_cookie_id(cookie_id: &str) -> Self {
        Self(vec![text("id", cookie_id)])
    }

    /// From a JSON object; `None` for any other JSON.
    pub fn from_json(json: Value) -> Option<Self> {
        GrowthBookAttribute::from(json).ok().map(Self)
    }

    /// Makes the attributes; a value that is empty makes none. Experiments divide shoppers by `id`. `partnerId` and
    /// `currency` are Cardform's own, for experiments with one merchant or one currency.
    fn of(known: &SharedAttributes<'_>) -> Self {
        let custom = custom_data(known.custom_data);
        let fact = |name: &str| match custom.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let (merchant_id, pcp_id, mno_id) = (fact("merchant_id"), fact("pcp_id"), fact("mno_id"));
        let all = [
            ("id", known.cookie_id.unwrap_or_default()),
            ("txnId", known.charge_id),
            ("country", known.country),
            ("merchantId", &merchant_id),
            ("pcpId", &pcp_id),
            ("mnoId", &mno_id),
            ("partnerId", known.partner_id),
            ("currency", known.currency),
        ];
        let known = all.into_iter().filter(|(_, value)| !value.is_empty());
        Self(known.map(|(name, value)| text(name, value)).collect())
    }

    pub(super) fn as_list(&self) -> &Vec<GrowthBookAttribute> {
        &self.0
    }

    /// Whether there is an attribute with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|attribute| attribute.key == name)
    }
}

fn text(name: &str, value: &str) -> GrowthBookAttribute {
    let value = GrowthBookAttributeValue::String(value.to_owned());
    GrowthBookAttribute::new(name.to_owned(), value)
}

/// The intent's custom data; empty when it is no JSON object. That is logged without its content
/// (docs/payload.md#fields).
fn custom_data(json: &str) -> Map<String, Value> {
    if json.is_empty() {
        return Map::new();
    }
    serde_json::from_str(json).unwrap_or_else(|error| {
        tracing::warn!(
            line = error.line(),
            column = error.column(),
            "the custom data of a charge intent is no JSON object and is ignored"
        );
        Map::new()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn intent(custom_data: &str) -> ChargeIntent {
        ChargeIntent {
            charge_id: "ch_1".into(),
            payment_method_country_code: "ID".into(),
            amount_currency: "IDR".into(),
            partner_custom_data: custom_data.into(),
            partner_id: "partner_1".into(),
            ..ChargeIntent::default()
        }
    }

    #[test]
    fn a_pages_attributes_come_from_its_intent() {
        let custom =
            r#"{"merchant_id": "m1", "pcp_id": 42, "mno_id": "mno-7", "merchant_email": "a@b.example"}"#;
        let known = Attributes::of_intent(&intent(custom), "c1");
        let expected = json!({
            "id": "c1", "txnId": "ch_1", "country": "ID", "merchantId": "m1", "pcpId": "42", "mnoId": "mno-7",
            "partnerId": "partner_1", "currency": "IDR",
        });
        let mut expected = Attributes::from_json(expected).unwrap().0;
        let mut known = known.0;
        known.sort_by(|a, b| a.key.cmp(&b.key));
        expected.sort_by(|a, b| a.key.cmp(&b.key));
        assert_eq!(known, expected);
    }

    /// The log that these custom data cause.
    fn logged(custom_data: &str) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines = Arc::new(file.reopen().unwrap());
        let subscriber = tracing_subscriber::fmt().with_writer(lines).finish();
        tracing::subscriber::with_default(subscriber, || {
            Attributes::of_intent(&intent(custom_data), "c1");
        });
        std::fs::read_to_string(file.path()).unwrap()
    }

    #[test]
    fn unreadable_custom_data_is_logged_without_its_content() {
        for unreadable in ["{\"merchant_id\": \"secret-7\"", "[\"secret-7\"]", "secret-7"] {
            let lines = logged(unreadable);
            assert!(lines.contains("WARN") && lines.contains("custom data"), "{lines}");
            assert!(!lines.contains("secret-7"), "{lines}");
        }
        for readable in ["", "{}", r#"{"merchant_id": "secret-7"}"#] {
            assert_eq!(logged(readable), "");
        }
    }

    #[test]
    fn missing_or_unreadable_values_are_no_attributes() {
        for custom in [
            "",
            "{",
            "[]",
            "7",
            r#"{"merchant_id": null, "pcp_id": {}, "mno_id": ""}"#,
        ] {
            let known = Attributes::of_intent(&intent(custom), "c1");
            for name in ["merchantId", "pcpId", "mnoId"] {
                assert!(!known.has(name), "{custom}");
            }
            assert!(known.has("country"));
        }
    }
}
