//! `GET /v1/charges`: a merchant finds charges, and exports them.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use protocol::{ChargeList, ChargeStatus, DeclineCode, ErrorCode};
use schemars::SchemaGenerator;
use store::{ChargeFilter, ChargePage, ListPosition};

use super::charge_rules::required;
use super::charges_csv::{TablePage, VARY, header as csv_header, rows, table};
use super::list_query::{AFTER_PARAMETER, LIMIT_MAX, LIMIT_PARAMETER, ListQuery, position_text};
use super::state::Charges;
use merchants::callers::Merchant;
use web::{ApiError, Content, DescribedAnswer, Operation, Parameter, ParameterValue};

/// This endpoint in the OpenAPI description.
pub const OPERATION: Operation = Operation {
    method: "GET",
    path: "/v1/charges",
    id: "list_charges",
    summary: "Find charges",
    description: "Your charges, the newest first. A charge has all values that the query names. Read on with `after` until \
        `next` is null: a page can be shorter than `limit` before the last one. With `accept: text/csv` the answer is a table \
        of all charges that fit.",
    parameters: PARAMETERS,
    answers: &[DescribedAnswer {
        status: 200,
        description: "A page of the list, or the table.",
        content: Content::JsonOrCsv(SchemaGenerator::subschema_for::<ChargeList>),
    }],
    errors: &[ErrorCode::Unavailable],
    ..Operation::OF_MERCHANT
};

const PARAMETERS: &[Parameter] = &[
    LIMIT_PARAMETER,
    AFTER_PARAMETER,
    Parameter::query(
        "created_from",
        "Made at this time or later.",
        ParameterValue::Time,
    ),
    Parameter::query("created_to", "Made before this time.", ParameterValue::Time),
    Parameter::query("status", "With this status now.", ParameterValue::OneOf(statuses)),
    Parameter::query(
        "partner_reference",
        "With this reference of yours.",
        ParameterValue::Text,
    ),
    Parameter::query("shopper_id", "Of this shopper.", ParameterValue::Text),
    Parameter::query(
        "last_four",
        "With an attempt by a card that ends with these digits.",
        ParameterValue::LastFour,
    ),
    Parameter::query(
        "decline_code",
        "Failed for this reason.",
        ParameterValue::OneOf(decline_codes),
    ),
    Parameter::query(
        "provider_reference",
        "With an attempt of this reference at the provider.",
        ParameterValue::Text,
    ),
];

fn statuses() -> Vec<String> {
    let all = ChargeStatus::ALL.iter();
    all.map(|status| status.as_str().to_owned()).collect()
}

fn decline_codes() -> Vec<String> {
    DeclineCode::ALL
        .iter()
        .map(|code| code.as_str().to_owned())
        .collect()
}

/// Answers with a page of the merchant's charges, or with a table of all that fit. While charges are brought back after a
/// restore it is a 503, because some would be missing.
pub async fn list_charges(
    State(charges): State<Arc<Charges>>,
    Merchant(partner): Merchant,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = ListQuery::read(query.as_deref(), PARAMETERS)?;
    let (limit, after, filter) = (query.limit()?, query.after()?, filter_of(&query)?);
    charges.expiry.gate.must_be_open()?;
    if accepts_csv(&headers) {
        if query.get("limit").is_some() {
            return Err(ApiError::invalid(
                "limit",
                "A table has all charges that fit: leave limit out.",
            ));
        }
        let matching = MatchingCharges {
            charges,
            partner_id: partner.id,
            filter,
        };
        let mut first = csv_header().map_err(|error| ApiError::internal(&error))?;
        let (rows, next) = matching.clone().page(after).await?;
        first.extend(rows);
        return Ok(table((first, next), move |next| {
            matching.clone().page(Some(next))
        }));
    }
    let page = charges
        .store
        .listed_charges(&partner.id, &filter, after.as_ref(), limit)
        .await?;
    let list = ChargeList {
        items: charges.store.charge_views(&page.charges).await?,
        next: page.next.as_ref().map(position_text),
    };
    Ok((VARY, Json(list)).into_response())
}

fn filter_of(query: &ListQuery) -> Result<ChargeFilter, ApiError> {
    Ok(ChargeFilter {
        decline_code: one_of(query, "decline_code", |text| {
            let is_known = DeclineCode::ALL.iter().any(|code| code.as_str() == text);
            is_known.then(|| text.to_owned())
        })?,
        provider_reference: text_of(query, "provider_reference")?,
        ..usual_filter(query)?
    })
}

/// The filter that merchants and operators have in common.
pub(crate) fn usual_filter(query: &ListQuery) -> Result<ChargeFilter, ApiError> {
    Ok(ChargeFilter {
        created_from: query.time("created_from")?,
        created_to: query.time("created_to")?,
        status: one_of(query, "status", |text| text.parse().ok())?,
        partner_reference: text_of(query, "partner_reference")?,
        shopper_id: text_of(query, "shopper_id")?,
        last_four: one_of(query, "last_four", |text| {
            is_last_four(text).then(|| text.to_owned())
        })?,
        ..ChargeFilter::default()
    })
}

fn text_of(query: &ListQuery, name: &'static str) -> Result<Option<String>, ApiError> {
    let text = query.get(name);
    text.map_or(Ok(()), |text| required(name, text))?;
    Ok(text.map(str::to_owned))
}

pub(crate) fn is_last_four(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A parameter that has one of some values.
pub(crate) fn one_of<T>(
    query: &ListQuery,
    name: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    let Some(text) = query.get(name) else {
        return Ok(None);
    };
    let message = "This parameter has a value that it cannot have.";
    read(text)
        .map(Some)
        .ok_or_else(|| ApiError::invalid(name, message))
}

/// Whether the client asks for a table.
pub(crate) fn accepts_csv(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|range| range.split(';').next())
        .any(|kind| kind.trim().eq_ignore_ascii_case("text/csv"))
}

/// All charges of a merchant that fit.
#[derive(Clone)]
struct MatchingCharges {
    charges: Arc<Charges>,
    partner_id: String,
    filter: ChargeFilter,
}

impl MatchingCharges {
    async fn page(self, after: Option<ListPosition>) -> Result<TablePage, ApiError> {
        let store = &self.charges.store;
        let ChargePage { charges, next } = store
            .listed_charges(&self.partner_id, &self.filter, after.as_ref(), LIMIT_MAX as usize)
            .await?;
        let views = store.charge_views(&charges).await?;
        let rows = rows(&views).map_err(|error| ApiError::internal(&error))?;
        Ok((rows, next))
    }
}

#[cfg(test)]
mod tests;
