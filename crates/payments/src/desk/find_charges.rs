//! `GET /v1/operator/charges`: finds charges of all merchants that the person sees, the newest first, as JSON or as a table.

use std::io;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;
use protocol::{OperatorCharge, OperatorChargeList};
use store::{Charge, ChargeFilter, EventSelection, ListPosition, Store};

use super::merged_charges::MergedCharges;
use crate::charges::Charges;
use crate::charges::charge_rules::required;
use crate::charges::charges_csv::{CSV, operator_header, operator_rows};
use crate::charges::list_charges::{accepts_csv, one_of};
use crate::charges::list_query::{AFTER_PARAMETER, LIMIT_MAX, LIMIT_PARAMETER, ListQuery, position_text};
use merchants::operators::{KnownOperator, Operator};
use web::{ApiError, Parameter, ParameterValue};

const PARAMETERS: &[Parameter] = &[
    LIMIT_PARAMETER,
    AFTER_PARAMETER,
    filter(
        "text",
        "A reference, a shopper, an id, or the last four digits of a card.",
    ),
    filter("partner_reference", "With this reference of the merchant."),
    filter("shopper_id", "Of this shopper."),
    filter(
        "last_four",
        "With an attempt by a card that ends with these digits.",
    ),
    filter("status", "With this status now."),
    filter("amount", "Of this amount."),
    filter("created_from", "Made at this time or later."),
    filter("created_to", "Made before this time."),
    filter("merchant", "Of this merchant."),
];

const fn filter(name: &'static str, description: &'static str) -> Parameter {
    Parameter::query(name, description, ParameterValue::Text)
}

/// Answers with a page of the charges that fit, or with a table of all of them.
pub async fn find_charges(
    State(charges): State<Arc<Charges>>,
    KnownOperator(operator): KnownOperator,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = ListQuery::read(query.as_deref(), PARAMETERS)?;
    let (limit, after) = (query.limit()?, query.after()?);
    let (filter, text) = (filter_of(&query)?, query.get("text").map(str::trim));
    let store = charges.store.clone();
    let wants_table = accepts_csv(&headers);
    if let Some(id) = text.filter(|text| is_id(text)) {
        let found = charge_of_id(&store, id).await?;
        let found: Vec<Charge> = found
            .into_iter()
            .filter(|charge| operator.sees(&charge.partner_id))
            .collect();
        let found = shown(&store, &found).await?;
        return Ok(if wants_table {
            table(rows(&found, true)?, None, store, None)
        } else {
            list(found, None)
        });
    }
    let search = MergedCharges {
        partners: partners(&store, &operator, query.get("merchant")).await?,
        filters: filters(filter, text)?,
    };
    if wants_table {
        let page = search.page(&store, after.as_ref(), LIMIT_MAX as usize).await?;
        let first = rows(&shown(&store, &page.charges).await?, true)?;
        return Ok(table(first, page.next, store, Some(search)));
    }
    let page = search.page(&store, after.as_ref(), limit).await?;
    Ok(list(shown(&store, &page.charges).await?, page.next.as_ref()))
}

/// Whether the text is the id of a charge, a refund or an event.
fn is_id(text: &str) -> bool {
    ["ch_", "re_", "op_", "evt_"]
        .iter()
        .any(|prefix| text.starts_with(prefix))
}

async fn charge_of_id(store: &Store, id: &str) -> Result<Option<Charge>, ApiError> {
    let charge_id = if id.starts_with("ch_") {
        Some(id.to_owned())
    } else if id.starts_with("evt_") {
        let events = store.webhook_events(EventSelection::Event(id), 1).await?;
        events.into_iter().next().map(|event| event.charge_id)
    } else {
        store.operation(id).await?.map(|operation| operation.charge_id)
    };
    Ok(match charge_id {
        Some(id) => store.charge(&id).await?,
        None => None,
    })
}

/// The merchants whose charges are looked at. One that the person does not see is a 404.
async fn partners(store: &Store, operator: &Operator, named: Option<&str>) -> Result<Vec<String>, ApiError> {
    if let Some(id) = named {
        if !operator.sees(id) {
            return Err(ApiError::not_found());
        }
        return Ok(vec![id.to_owned()]);
    }
    if let Some(merchants) = &operator.merchants {
        return Ok(merchants.clone());
    }
    let all = store.partners().await?;
    Ok(all.into_iter().map(|partner| partner.id).collect())
}

/// A filter for each meaning that the text can have.
fn filters(filter: ChargeFilter, text: Option<&str>) -> Result<Vec<ChargeFilter>, ApiError> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(vec![filter]);
    };
    required("text", text)?;
    let mut filters = vec![
        ChargeFilter {
            partner_reference: Some(text.to_owned()),
            ..filter.clone()
        },
        ChargeFilter {
            shopper_id: Some(text.to_owned()),
            ..filter.clone()
        },
    ];
    if is_last_four(text) {
        filters.push(ChargeFilter {
            last_four: Some(text.to_owned()),
            ..filter.clone()
        });
    } else {
        filters.push(ChargeFilter {
            provider_reference: Some(text.to_owned()),
            ..filter
        });
    }
    Ok(filters)
}

fn is_last_four(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn filter_of(query: &ListQuery) -> Result<ChargeFilter, ApiError> {
    let text = |name: &'static str| {
        let text = query.get(name);
        text.map_or(Ok(()), |text| required(name, text))?;
        Ok::<_, ApiError>(text.map(str::to_owned))
    };
    Ok(ChargeFilter {
        created_from: query.time("created_from")?,
        created_to: query.time("created_to")?,
        status: one_of(query, "status", |text| text.parse().ok())?,
        partner_reference: text("partner_reference")?,
        shopper_id: text("shopper_id")?,
        last_four: one_of(query, "last_four", |text| {
            is_last_four(text).then(|| text.to_owned())
        })?,
        amount: one_of(query, "amount", short_amount)?,
        ..ChargeFilter::default()
    })
}

/// The amount without zeros at its end: `12.5` for `12.50`.
fn short_amount(text: &str) -> Option<String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 16 || !are_digits(whole) || !are_digits(part) {
        return None;
    }
    let part = part.trim_end_matches('0');
    Some(if part.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{part}")
    })
}

async fn shown(store: &Store, charges: &[Charge]) -> Result<Vec<OperatorCharge>, ApiError> {
    let views = store.charge_views(charges).await?;
    let both = charges.iter().zip(views);
    Ok(both
        .map(|(charge, view)| OperatorCharge {
            partner_id: charge.partner_id.clone(),
            charge: view,
        })
        .collect())
}

const VARY: [(header::HeaderName, &str); 1] = [(header::VARY, "accept")];

fn list(items: Vec<OperatorCharge>, next: Option<&ListPosition>) -> Response {
    let list = OperatorChargeList {
        items,
        next: next.map(position_text),
    };
    (VARY, Json(list)).into_response()
}

/// The rows of a page, the names of the columns before the first one.
fn rows(charges: &[OperatorCharge], is_first: bool) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    if is_first {
        bytes = operator_header().map_err(|error| ApiError::internal(&error))?;
    }
    bytes.extend(operator_rows(charges).map_err(|error| ApiError::internal(&error))?);
    Ok(bytes)
}

/// The table, read and sent page by page. Only an error of the first page has an answer of its own; after a later one the
/// connection ends early.
fn table(
    first: Vec<u8>,
    next: Option<ListPosition>,
    store: Store,
    search: Option<MergedCharges>,
) -> Response {
    let state = (store, search, Some((first, next)));
    let parts = try_unfold(state, |(store, search, unsent)| async move {
        let Some((part, next)) = unsent else {
            return Ok::<_, io::Error>(None);
        };
        let following = match (&search, next) {
            (Some(search), Some(next)) => {
                let following = following(&store, search, &next).await;
                // The cause is logged already.
                Some(following.map_err(|_| io::Error::other("the table could not be read to its end"))?)
            }
            _ => None,
        };
        Ok(Some((part, (store, search, following))))
    });
    let headers = [
        (header::CONTENT_TYPE, CSV),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"charges.csv\"",
        ),
    ];
    (VARY, headers, Body::from_stream(parts)).into_response()
}

async fn following(
    store: &Store,
    search: &MergedCharges,
    after: &ListPosition,
) -> Result<(Vec<u8>, Option<ListPosition>), ApiError> {
    let page = search.page(store, Some(after), LIMIT_MAX as usize).await?;
    Ok((rows(&shown(store, &page.charges).await?, false)?, page.next))
}

#[cfg(test)]
mod tests;
