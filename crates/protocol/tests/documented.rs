//! docs/charge-fields.md has each field of a new charge, with its limits.

use std::path::Path;

use protocol::CreateCharge;
use protocol::limits::{CUSTOM_DATA_BYTES_MAX, URL_BYTES_MAX};
use schemars::schema_for;
use serde_json::Value;

/// The first and second cells of each row whose first cell is code.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (field, cells) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((field, cells.split(" | ").next()?))
    })
}

#[test]
fn the_documented_fields_are_those_of_a_new_charge() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/charge-fields.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let schema = schema_for!(CreateCharge);
    let fields = schema
        .get("properties")
        .and_then(Value::as_object)
        .expect("fields");
    let mut documented: Vec<_> = rows(&page).map(|(field, _)| field).collect();
    documented.sort_unstable();
    let mut known: Vec<_> = fields.keys().map(String::as_str).collect();
    known.sort_unstable();
    assert_eq!(documented, known);

    for (field, value) in rows(&page).filter(|(field, _)| !field.ends_with("_url")) {
        if let Some(max) = fields[field]["maxLength"].as_u64() {
            assert!(value.contains(&format!(" {max} characters")), "{field}: {value}");
        }
    }
    for max in [URL_BYTES_MAX, CUSTOM_DATA_BYTES_MAX] {
        let max = format!("{},{:03} bytes", max / 1_000, max % 1_000);
        assert!(page.contains(&max), "{max}");
    }

    let (required, _) = page
        .split_once("## The payment page")
        .expect("required fields first");
    let mut required: Vec<_> = rows(required).map(|(field, _)| field).collect();
    let known = schema.get("required").and_then(Value::as_array).expect("a list");
    let mut known: Vec<_> = known.iter().filter_map(Value::as_str).collect();
    required.sort_unstable();
    known.sort_unstable();
    assert_eq!(required, known);
}
