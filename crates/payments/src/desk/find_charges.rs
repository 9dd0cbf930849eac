//! `GET /v1/operator/charges`: finds charges of all merchants that the person sees, the newest first, as JSON or as a table.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use protocol::{OperatorCharge, OperatorChargeList};
use store::{Charge, ChargeFilter, EventSelection, ListPosition, Store};

use super::merged_charges::MergedCharges;
use crate::charges::Charges;
use crate::charges::charge_rules::required;
use crate::charges::charges_csv::{TablePage, VARY, operator_header, operator_rows, table};
use crate::charges::list_charges::{accepts_csv, is_last_four, one_of, usual_filter};
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

/// Answers with a page of the charges that fit, or with a table of all of them; with a 503 as `list_charges` does.
pub async fn find_charges(
    State(charges): State<Arc<Charges>>,
    KnownOperator(operator): KnownOperator,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = ListQuery::read(query.as_deref(), PARAMETERS)?;
    let (limit, after) = (query.limit()?, query.after()?);
    let (filter, text) = (filter_of(&query)?, query.get("text").map(str::trim));
    charges.expiry.gate.must_be_open()?;
    let store = charges.store.clone();
    let wants_table = accepts_csv(&headers);
    if let Some(id) = text.filter(|text| is_id(text)) {
        let found = charge_of_id(&store, id).await?;
        let seen = found.filter(|charge| operator.sees(&charge.partner_id));
        let found = shown(&store, seen.as_slice()).await?;
        if !wants_table {
            return Ok(list(found, None));
        }
        // An id is that of one charge, so the table has one page.
        let nothing_more = |_| async { Ok((Vec::new(), None)) };
        return Ok(table((rows(&found, true)?, None), nothing_more));
    }
    let search = MergedCharges {
        partners: partners(&store, &operator, query.get("merchant")).await?,
        filters: filters(filter, text)?,
    };
    if wants_table {
        let first = table_page(&store, &search, after, true).await?;
        let search = Arc::new(search);
        return Ok(table(first, move |next| {
            let (store, search) = (store.clone(), Arc::clone(&search));
            async move { table_page(&store, &search, Some(next), false).await }
        }));
    }
    let page = search.page(&store, after.as_ref(), limit).await?;
    Ok(list(shown(&store, &page.charges).await?, page.next.as_ref()))
}

async fn table_page(
    store: &Store,
    search: &MergedCharges,
    after: Option<ListPosition>,
    is_first: bool,
) -> Result<TablePage, ApiError> {
    let page = search.page(store, after.as_ref(), LIMIT_MAX as usize).await?;
    Ok((rows(&shown(store, &page.charges).await?, is_first)?, page.next))
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

fn filter_of(query: &ListQuery) -> Result<ChargeFilter, ApiError> {
    Ok(ChargeFilter {
        amount: one_of(query, "amount", short_amount)?,
        ..usual_filter(query)?
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

#[cfg(test)]
mod tests;
