//! `GET /v1/operator/me`: whose key this is, and what the person may do.

use axum::Json;
use protocol::OperatorView;

use merchants::operators::KnownOperator;

/// Answers with the person's name, role and merchants.
pub async fn me(KnownOperator(operator): KnownOperator) -> Json<OperatorView> {
    Json(operator.view())
}
