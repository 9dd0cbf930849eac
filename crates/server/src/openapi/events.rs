//! The webhooks of the document: one for each status that a charge, a refund or a dispute can change to, and for
//! what happens to saved cards.

use protocol::webhook_event::{CardWebhookBody, DisputeWebhookBody, RefundWebhookBody, WebhookBody, kinds};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;

/// The document's `webhooks`.
pub(super) fn webhooks(schemas: &mut Schemas) -> Map<String, Value> {
    let charge = schemas.answer(SchemaGenerator::subschema_for::<WebhookBody<'static>>);
    let refund = schemas.answer(SchemaGenerator::subschema_for::<RefundWebhookBody<'static>>);
    let dispute = schemas.answer(SchemaGenerator::subschema_for::<DisputeWebhookBody<'static>>);
    let card = schemas.answer(SchemaGenerator::subschema_for::<CardWebhookBody<'static>>);
    kinds()
        .map(|kind| {
            let event = match kind.split_once('.').map(|(object, _)| object) {
                Some("refund") => &refund,
                Some("dispute") => &dispute,
                Some("payment_method") => &card,
                _ => &charge,
            };
            let described = webhook(&kind, event);
            (kind, described)
        })
        .collect()
}

fn webhook(kind: &str, event: &Value) -> Value {
    let (object, status) = kind.split_once('.').unwrap_or((kind, ""));
    let (summary, data) = if object == "payment_method" {
        (format!("A saved card: {status}"), json!({}))
    } else {
        let data = json!({ "properties": { "status": { "const": status } } });
        (format!("A {object} became {status}"), data)
    };
    json!({ "post": {
        "operationId": kind.replace('.', "_"),
        "summary": summary,
        "description": "Posted to each of your endpoints that takes it, and signed as Standard Webhooks specifies. Repeated for \
            up to three days, until your server answers with 2xx.",
        "tags": ["webhooks"],
        "security": [],
        "parameters": [
            header("webhook-id", "The event's id, the same in every attempt. It shows that you already have an event.",
                &json!({"type": "string"})),
            header("webhook-timestamp", "When this attempt was signed, in seconds since 1970.",
                &json!({"type": "string", "pattern": "^[0-9]+$"})),
            header("webhook-signature", "`v1,` and the base64 of the HMAC-SHA256 over `{id}.{timestamp}.{body}`.",
                &json!({"type": "string", "pattern": "^v1,"})),
        ],
        "requestBody": { "required": true, "content": { "application/json": { "schema": {
            "allOf": [
                event,
                { "properties": {
                    "type": { "const": kind },
                    "data": data,
                } },
            ],
        } } } },
        "responses": { "2XX": { "description": "Your server has accepted the event." } },
    } })
}

fn header(name: &str, description: &str, schema: &Value) -> Value {
    json!({ "in": "header", "name": name, "required": true, "description": description, "schema": schema })
}
