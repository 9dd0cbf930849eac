//! `GET /v1/disputes`: the disputes that the provider has told of.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use protocol::{Dispute, DisputeList, ErrorCode};
use store::cut_page;

use crate::charges::Charges;
use crate::charges::list_query::{AFTER_PARAMETER, LIMIT_PARAMETER, ListQuery, position_text};
use merchants::callers::Merchant;
use web::{ApiError, DescribedAnswer, Operation, Parameter};

const PARAMETERS: &[Parameter] = &[LIMIT_PARAMETER, AFTER_PARAMETER];

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/disputes",
    id: "list_disputes",
    summary: "List disputes",
    description: "The merchant's disputes, newest first.",
    parameters: PARAMETERS,
    answers: &[DescribedAnswer::json::<DisputeList>(200, "A page of disputes.")],
    errors: &[ErrorCode::InvalidRequest],
    ..Operation::OF_MERCHANT
};

/// A page of this merchant's disputes.
pub async fn list_disputes(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    RawQuery(query): RawQuery,
) -> Result<Json<DisputeList>, ApiError> {
    let query = ListQuery::read(query.as_deref(), PARAMETERS)?;
    let (limit, after) = (query.limit()?, query.after()?);
    let mut found = charges
        .store
        .disputes(&partner.id, after.as_ref(), limit + 1)
        .await?;
    let next = cut_page(&mut found, limit, |dispute| (dispute.created_at, &dispute.id));
    Ok(Json(DisputeList {
        items: found.into_iter().map(Dispute::from).collect(),
        next: next.as_ref().map(position_text),
    }))
}
