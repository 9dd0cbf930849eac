//! Makes the OpenAPI document from the list of operations.

use protocol::{ErrorBody, ErrorCode};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::events::webhooks;
use super::operations::OPERATIONS;
use super::schemas::Schemas;
use super::topics;
use web::{Caller, Content, DescribedAnswer, Operation, Parameter, ParameterValue};

/// The names of the two kinds of bearer token.
const SECRET_KEY: &str = "secretKey";
const CLIENT_SECRET: &str = "clientSecret";

/// The whole document.
pub(super) fn document() -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for operation in OPERATIONS {
        let item = paths.entry(operation.path).or_insert_with(|| json!({}));
        item[operation.method.to_ascii_lowercase()] = described(operation, &mut schemas);
    }
    paths.insert(topics::PATH.to_owned(), topics::item(&mut schemas));
    let webhooks = webhooks(&mut schemas);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cardform",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Card payments: charges for merchants' servers, and the calls of the form's page.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "The service that serves this document." }],
        "tags": [
            { "name": "merchant", "description": "For merchants' servers." },
            { "name": "page", "description": "For the form's page; a merchant need not call these." },
            { "name": "webhooks", "description": "Events that are sent to a merchant's server." },
        ],
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": schemas.gathered(),
            "securitySchemes": {
                SECRET_KEY: {
                    "type": "http", "scheme": "bearer",
                    "description": "A merchant's secret key, `sk_…`. Keep it on the merchant's server.",
                },
                CLIENT_SECRET: {
                    "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                    "description": "The client secret of one charge. It gives access to that charge and to its shopper's saved cards.",
                },
            },
        },
    })
}

fn described(operation: &Operation, schemas: &mut Schemas) -> Value {
    let mut out = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": operation.description,
        "tags": [if operation.path.starts_with("/v1/pub/") { "page" } else { "merchant" }],
        "security": security(operation.caller),
        "parameters": parameters(operation),
        "responses": responses(operation, schemas),
    });
    if let Some(request) = operation.request {
        out["requestBody"] = json!({
            "required": !OPTIONAL_BODIES.contains(&operation.id),
            "content": { "application/json": { "schema": schemas.request(request) } },
        });
    }
    out
}

/// The operations whose body may be left out (`web::OptionalBody`).
const OPTIONAL_BODIES: [&str; 3] = ["create_refund", "capture_charge", "create_card_session"];

fn security(caller: Caller) -> Value {
    match caller {
        Caller::Merchant => json!([{ SECRET_KEY: [] }]),
        Caller::Shopper | Caller::PayingShopper => json!([{ CLIENT_SECRET: [] }]),
        Caller::Anyone => json!([]),
    }
}

fn parameters(operation: &Operation) -> Value {
    let in_path = operation.path_parameters().into_iter().map(|name| {
        json!({ "in": "path", "name": name, "required": true, "schema": { "type": "string", "minLength": 1 } })
    });
    let is_paying = match operation.caller {
        Caller::PayingShopper => Some(true),
        Caller::Shopper => Some(false),
        Caller::Merchant | Caller::Anyone => None,
    };
    let partner = is_paying.map(|is_required| Parameter {
        place: "header",
        name: "partner-id",
        is_required,
        description: "Must be the client secret's partner.",
        value: ParameterValue::Token,
    });
    let others = partner.iter().chain(operation.parameters).map(|parameter| {
        json!({
            "in": parameter.place,
            "name": parameter.name,
            "required": parameter.is_required,
            "description": parameter.description,
            "schema": allowed(parameter.value),
        })
    });
    in_path.chain(others).collect()
}

fn allowed(value: ParameterValue) -> Value {
    match value {
        ParameterValue::Token => {
            json!({ "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" })
        }
        // It has no length limit of its own; the whole address has one.
        ParameterValue::FramePayload => json!({ "type": "string" }),
        ParameterValue::Payload => json!({ "type": "string", "minLength": 1 }),
        ParameterValue::CookieId => {
            json!({ "type": "string", "pattern": "^[A-Za-z0-9_.~:|-]{1,128}$" })
        }
        ParameterValue::Text => {
            json!({ "type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[^\x00-\x1F\x7F-\x9F]*$" })
        }
        ParameterValue::OneOf(values) => json!({ "type": "string", "enum": values() }),
        ParameterValue::Time => json!({ "type": "string", "format": "date-time" }),
        ParameterValue::Position => {
            json!({ "type": "string", "pattern": "^[0-9]{1,18}[.][A-Za-z0-9_]{1,64}$" })
        }
        ParameterValue::LastFour => json!({ "type": "string", "pattern": "^[0-9]{4}$" }),
        ParameterValue::Number { max, default } => {
            json!({ "type": "integer", "minimum": 1, "maximum": max, "default": default })
        }
    }
}

fn responses(operation: &Operation, schemas: &mut Schemas) -> Value {
    let mut out = Map::new();
    for answer in operation.answers {
        let mut described = success(answer, schemas);
        let links = links(operation.id);
        if !links.is_empty() {
            described["links"] = links.into();
        }
        out.insert(answer.status.to_string(), described);
    }
    let codes = operation.error_codes();
    for group in codes.chunk_by(|one, other| one.status() == other.status()) {
        out.insert(group[0].status().to_string(), error(group, schemas));
    }
    out.into()
}

fn success(answer: &DescribedAnswer, schemas: &mut Schemas) -> Value {
    let mut out = json!({ "description": answer.description });
    match answer.content {
        Content::Json(of) => {
            out["content"] = json!({ "application/json": { "schema": schemas.answer(of) } });
        }
        Content::JsonOrCsv(of) => {
            out["content"] = json!({
                "application/json": { "schema": schemas.answer(of) },
                "text/csv": { "schema": { "type": "string" } },
            });
        }
        Content::Text(kind) => out["content"] = json!({ kind: { "schema": { "type": "string" } } }),
        Content::Nothing => {}
    }
    out
}

/// The operations that can follow with what this one made or listed.
fn links(operation: &str) -> Map<String, Value> {
    let (id, following): (_, &[&str]) = match operation {
        "create_charge" => (
            "/id",
            &[
                "get_charge",
                "change_charge",
                "create_client_secret",
                "cancel_charge",
                "pay_charge",
                "capture_charge",
                "create_refund",
                "list_refunds",
            ],
        ),
        "create_refund" => ("/id", &["get_refund"]),
        "create_webhook_endpoint" => (
            "/id",
            &[
                "get_webhook_endpoint",
                "change_webhook_endpoint",
                "remove_webhook_endpoint",
            ],
        ),
        "list_events" => ("/items/0/id", &["resend_event"]),
        "list_cards_of_shopper" => (
            "/items/0/id",
            &["get_saved_card", "change_saved_card", "remove_saved_card"],
        ),
        _ => return Map::new(),
    };
    let link = |operation: &str| {
        let id = format!("$response.body#{id}");
        json!({ "operationId": operation, "parameters": { "id": id } })
    };
    following
        .iter()
        .map(|&operation| (operation.to_owned(), link(operation)))
        .collect()
}

/// The errors with one status: their codes and their headers.
fn error(codes: &[ErrorCode], schemas: &mut Schemas) -> Value {
    let body = schemas.answer(SchemaGenerator::subschema_for::<ErrorBody>);
    let names: Vec<_> = codes
        .iter()
        .map(|code| json!(code).to_string().replace('"', "`"))
        .collect();
    let mut out = json!({
        "description": names.join(", "),
        "content": { "application/json": { "schema": {
            "allOf": [
                body,
                { "properties": { "error": { "properties": { "code": { "enum": codes } } } } },
            ],
        } } },
    });
    match codes[0].status() {
        401 => {
            out["headers"] = json!({ "www-authenticate": {
                "required": true, "description": "`Bearer`.", "schema": { "type": "string" },
            } });
        }
        429 => {
            out["headers"] = json!({ "retry-after": {
                "required": true,
                "description": "When to try again, in seconds from now.",
                "schema": { "type": "integer", "minimum": 1 },
            } });
        }
        _ => {}
    }
    out
}
