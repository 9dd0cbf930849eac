//! The attributes of a shopper and a charge, by which rules decide (docs/experiments.md#the-features-document). They come
//! from the payload or from the stored charge.

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
mod tests;
