//! `GET /v1/disputes`: the disputes that the provider has told of.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use protocol::{Dispute, DisputeList};
use schemars::SchemaGenerator;
use serde::Deserialize;

use crate::charges::Charges;
use merchants::callers::Merchant;
use web::api_error::ApiError;
use web::operation::{Caller, Content, DescribedAnswer, Operation, Parameter, ParameterValue};

const LIMIT_MAX: u32 = 100;
const LIMIT: u32 = 20;

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/disputes",
    id: "list_disputes",
    summary: "List disputes",
    description: "The merchant's disputes, newest first.",
    caller: Caller::Merchant,
    parameters: &[
        Parameter {
            place: "query",
            name: "limit",
            is_required: false,
            description: "How many disputes a page has.",
            value: ParameterValue::Number {
                max: LIMIT_MAX,
                default: LIMIT,
            },
        },
        Parameter {
            place: "query",
            name: "after",
            is_required: false,
            description: "`next` of the page before.",
            value: ParameterValue::Token,
        },
    ],
    request: None,
    answers: &[DescribedAnswer {
        status: 200,
        description: "A page of disputes.",
        content: Content::Json(SchemaGenerator::subschema_for::<DisputeList>),
    }],
    errors: &[protocol::ErrorCode::InvalidRequest],
};

/// The query of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisputeQuery {
    limit: Option<u32>,
    after: Option<String>,
}

/// A page of this merchant's disputes.
pub async fn list_disputes(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    query: Result<Query<DisputeQuery>, QueryRejection>,
) -> Result<Json<DisputeList>, ApiError> {
    let Query(query) = query.map_err(|_| {
        ApiError::invalid(
            "limit",
            "The query may have limit, from 1 to 100, and after, and nothing else.",
        )
    })?;
    let limit = query.limit.unwrap_or(LIMIT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(ApiError::invalid(
            "limit",
            "This parameter must be from 1 to 100.",
        ));
    }
    let found = charges
        .store
        .disputes(&partner.id, query.after.as_deref(), i64::from(limit) + 1)
        .await?;
    let has_more = found.len() > limit as usize;
    let items: Vec<Dispute> = found
        .into_iter()
        .take(limit as usize)
        .map(Dispute::from)
        .collect();
    let next = items.last().map(|last| last.id.clone()).filter(|_| has_more);
    Ok(Json(DisputeList { items, next }))
}
