//! The schemas of what is sent and what is answered, each from its type in `wire`, gathered under their names.

use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use serde_json::{Map, Value, json};

use super::prose::without_citations;
use crate::operation::SchemaOf;

/// Where the document keeps them.
const PLACE: &str = "/components/schemas";

/// The largest values of the number formats, which the formats themselves do not say to everyone.
fn bounded(schema: &mut Schema) {
    let (min, max) = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => return,
    };
    schema.insert("minimum".to_owned(), json!(min));
    schema.insert("maximum".to_owned(), json!(max));
}

/// Makes references to schemas, and keeps the schemas. A type that is read has optional fields where the one that is
/// written has none, so each way has its own generator.
pub(super) struct Schemas {
    read: SchemaGenerator,
    written: SchemaGenerator,
}

impl Schemas {
    pub(super) fn new() -> Self {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = PLACE.into();
            settings.with_transform(RecursiveTransform(bounded))
        };
        Self {
            read: settings().for_deserialize().into_generator(),
            written: settings().for_serialize().into_generator(),
        }
    }

    /// The schema of what a client sends.
    pub(super) fn request(&mut self, of: SchemaOf) -> Value {
        of(&mut self.read).to_value()
    }

    /// The schema of what we send.
    pub(super) fn answer(&mut self, of: SchemaOf) -> Value {
        of(&mut self.written).to_value()
    }

    /// All that were referred to, by name. A name has one schema: what is read and written alike.
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
