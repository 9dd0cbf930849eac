//! `GET /v1/operator/audit`: what operators, commands and the service did, for an admin of all merchants.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use protocol::clock::rfc3339;
use protocol::{AuditEntry, AuditPage, ErrorCode, OperatorRole};
use store::AuditLine;

use super::story::shown;
use crate::charges::Charges;
use crate::charges::list_query::ListQuery;
use merchants::operators::KnownOperator;
use web::{ApiError, Parameter, ParameterValue};

/// How many lines a page has.
const LINES: i64 = 50;

const PARAMETERS: &[Parameter] = &[Parameter::query(
    "before",
    "The `next` of the page before.",
    ParameterValue::Text,
)];

/// The lines, the newest first. 403 for other roles, and for a key of some merchants.
pub async fn show_audit_log(
    State(charges): State<Arc<Charges>>,
    KnownOperator(operator): KnownOperator,
    RawQuery(query): RawQuery,
) -> Result<Json<AuditPage>, ApiError> {
    if operator.role != OperatorRole::Admin || operator.merchants.is_some() {
        return Err(ApiError::new(
            ErrorCode::OperatorForbidden,
            "The audit log is for admins of all merchants.",
        ));
    }
    let query = ListQuery::read(query.as_deref(), PARAMETERS)?;
    let lines = charges.store.audit_lines(query.get("before"), LINES).await?;
    let is_last = i64::try_from(lines.len()).is_ok_and(|count| count < LINES);
    let next = lines.last().filter(|_| !is_last).map(|line| line.id.clone());
    Ok(Json(AuditPage {
        items: lines.into_iter().map(entry).collect(),
        next,
    }))
}

fn entry(line: AuditLine) -> AuditEntry {
    AuditEntry {
        at: rfc3339(line.at),
        actor: shown(&line.actor),
        action: line.action,
        subject: line.subject,
        detail: serde_json::from_str(&line.detail).unwrap_or_default(),
        id: line.id,
    }
}
