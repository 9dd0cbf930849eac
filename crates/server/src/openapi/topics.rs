//! Describes `POST /topics/{topic}`. It differs from the paths below `/v1`: it has the media types and errors of
//! Kafka's REST proxy.

use protocol::{ProduceAnswer, ProduceError};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;
use tracking::events::RECORDS_MAX;

/// The path of the operation.
pub(super) const PATH: &str = "/topics/{topic}";

const RECORDS: &str = "application/vnd.kafka.json.v2+json";
const ANSWER: &str = "application/vnd.kafka.v2+json";

/// Each error status with its codes.
const ERRORS: [(&str, &str); 7] = [
    ("404", "`40401`: there is no such topic."),
    ("405", "`405`: another method than POST."),
    ("408", "`408`: the body did not arrive completely."),
    ("413", "`413`: the body is larger than a mebibyte."),
    ("415", "`415`: another content type."),
    (
        "422",
        "`422`: no records, or too many. `42203`: the body is not JSON.",
    ),
    ("429", "`429`: too many events from this address."),
];

/// The path's entry in the document.
pub(super) fn item(schemas: &mut Schemas) -> Value {
    let mut responses = Map::new();
    let answer = schemas.answer(SchemaGenerator::subschema_for::<ProduceAnswer>);
    responses.insert(
        "200".to_owned(),
        json!({ "description": "The result of each record.", "content": { ANSWER: { "schema": answer } } }),
    );
    for (status, description) in ERRORS {
        let error = schemas.answer(SchemaGenerator::subschema_for::<ProduceError>);
        let mut response = json!({ "description": description, "content": { ANSWER: { "schema": error } } });
        if status == "429" {
            response["headers"] = json!({ "retry-after": {
                "required": true,
                "description": "When to send more, in seconds from now.",
                "schema": { "type": "integer", "minimum": 1 },
            } });
        }
        responses.insert(status.to_owned(), response);
    }
    json!({ "post": {
        "operationId": "produce",
        "summary": "Send events",
        "description": "For the form's page and any other page, without credentials. The format is that of Kafka's REST \
            proxy, version 2. The answer is sent when the events are durable.",
        "tags": ["page"],
        "security": [],
        "parameters": [{
            "in": "path", "name": "topic", "required": true, "example": "cardform-events",
            "description": "The topic in the service's settings.",
            "schema": { "type": "string", "minLength": 1 },
        }],
        "requestBody": { "required": true, "content": { RECORDS: { "schema": records() } } },
        "responses": responses,
    } })
}

fn records() -> Value {
    // `additionalProperties`, because client generators take an object without properties for an empty one, and `items`, because
    // some leave out an operation with an array without them.
    let any = json!({
        "description": "An event. If it is no object, the answer refuses this record.",
        "type": ["boolean", "object", "array", "number", "string"],
        "items": {},
        "additionalProperties": true,
    });
    json!({
        "type": "object",
        "required": ["records"],
        "properties": { "records": {
            "type": "array",
            "minItems": 1,
            "maxItems": RECORDS_MAX,
            "items": {
                "type": "object",
                "required": ["value"],
                "properties": {
                    "key": { "description": "A text; anything else is left out. Records with the same key keep their order." },
                    "value": any,
                    "partition": {
                        "type": ["integer", "null"],
                        "description": "The record's partition. If it does not exist, the record is refused.",
                    },
                },
            },
        } },
    })
}
