//! The schemas of requests and answers. Each is made from its type in `wire` and kept under the type's name.

use protocol::DeclineCode;
use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use serde_json::{Map, Value, json};

use super::prose::without_citations;
use web::SchemaOf;

/// Where the schemas are in the document.
const PLACE: &str = "/components/schemas";

/// Adds the minimum and maximum of a number format, because not every reader of the document knows the formats.
fn bounded(schema: &mut Schema) {
    let (min, max) = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => return,
    };
    schema.insert("minimum".to_owned(), json!(min));
    schema.insert("maximum".to_owned(), json!(max));
}

/// Removes `"default": null`. It says nothing, since such a field may be left out, and client generators take a field
/// with a default for one that is always there.
fn without_null_default(schema: &mut Schema) {
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
}

/// Writes an enum of texts as `enum`. schemars writes `oneOf` with a `const` for each value as soon as one value has a
/// description, and client generators make a type without values of that.
fn with_plain_enums(schema: &mut Schema) {
    let Some(choices) = schema.get("oneOf").and_then(Value::as_array) else {
        return;
    };
    let (mut values, mut meanings) = (Vec::new(), Vec::new());
    for choice in choices {
        let meaning = choice["description"].as_str().unwrap_or_default();
        match (choice["const"].as_str(), choice["enum"].as_array()) {
            (Some(value), _) => {
                meanings.push(format!("- `{value}`: {meaning}"));
                values.push(json!(value));
            }
            (None, Some(several)) if several.iter().all(Value::is_string) => values.extend(several.clone()),
            _ => return,
        }
    }
    let meaning = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let description = format!("{meaning}\n\n{}", meanings.join("\n"));
    schema.remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), values.into());
    schema.insert("description".to_owned(), description.trim().into());
}

/// Lists the codes that a `decline_code` can be.
fn with_decline_codes(schema: &mut Schema) {
    let Some(code) = schema.pointer_mut("/properties/decline_code") else {
        return;
    };
    let mut codes: Vec<_> = DeclineCode::ALL.iter().map(|code| json!(code.as_str())).collect();
    if code["type"].is_array() {
        codes.push(Value::Null);
    }
    code["enum"] = codes.into();
}

/// Makes references to schemas and collects the schemas. Requests and answers have a generator each, because a field
/// can be optional in a request and always present in an answer.
pub(super) struct Schemas {
    read: SchemaGenerator,
    written: SchemaGenerator,
}

impl Schemas {
    pub(super) fn new() -> Self {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = PLACE.into();
            settings
                .with_transform(RecursiveTransform(bounded))
                .with_transform(RecursiveTransform(with_plain_enums))
                .with_transform(RecursiveTransform(without_null_default))
                .with_transform(RecursiveTransform(with_decline_codes))
        };
        Self {
            read: settings().for_deserialize().into_generator(),
            written: settings().for_serialize().into_generator(),
        }
    }

    /// The schema of a request's body.
    pub(super) fn request(&mut self, of: SchemaOf) -> Value {
        of(&mut self.read).to_value()
    }

    /// The schema of an answer's body.
    pub(super) fn answer(&mut self, of: SchemaOf) -> Value {
        of(&mut self.written).to_value()
    }

    /// All schemas that were referred to, by name. A type used in requests and answers must have the same schema in
    /// both.
    pub(super) fn gathered(mut self) -> Map<String, Value> {
        let mut all = self.read.take_definitions(true);
        for (name, schema) in self.written.take_definitions(true) {
            let before = all.insert(name, schema.clone());
            debug_assert!(
                before.is_none_or(|before| before == schema),
                "read and written differ: {schema}"
            );
        }
        all.values_mut().for_each(without_citations);
        all
    }
}
