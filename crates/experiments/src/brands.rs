//! The brands that the form shows before it has detected one (docs/rules.md#brand-detection): the value of
//! `card-form-card-brand-icon-config`.

use rules::Brand;
use rules::brand::{DEFAULT_AVAILABLE, TABLE};
use serde_json::Value;

/// The brands that `value` names, in the order of the brand table, which is the order on the page. `value` is one of: a
/// list of names or of objects with a `name`; an object with such a list as `brands`; an object that maps names to on
/// or off. Unknown names are ignored. Without a known name the default brands are shown.
pub(super) fn available_brands(value: &Value) -> Vec<Brand> {
    let named: Vec<&str> = match value {
        Value::Array(list) => names(list),
        Value::Object(fields) => match fields.get("brands") {
            Some(Value::Array(list)) => names(list),
            _ => fields
                .iter()
                .filter(|(_, on)| is_on(on))
                .map(|(name, _)| name.as_str())
                .collect(),
        },
        _ => Vec::new(),
    };
    let is_named = |name: &str| named.contains(&name) || (name == "hipercard" && named.contains(&"hipper"));
    let brands: Vec<Brand> = TABLE
        .iter()
        .filter(|row| is_named(row.name))
        .map(|row| row.brand)
        .collect();
    if brands.is_empty() {
        DEFAULT_AVAILABLE.to_vec()
    } else {
        brands
    }
}

fn names(list: &[Value]) -> Vec<&str> {
    list.iter()
        .filter_map(|entry| entry.as_str().or_else(|| entry.get("name")?.as_str()))
        .collect()
}

fn is_on(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value.as_f64() != Some(0.0)
}

#[cfg(test)]
mod tests;
