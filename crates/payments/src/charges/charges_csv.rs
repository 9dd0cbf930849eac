//! Charges as a table in CSV (RFC 4180). A spreadsheet shows each cell as a text: none begins a formula.

use std::io;

use axum::body::Body;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;
use protocol::{ChargeView, OperatorCharge};
use serde_json::Value;
use store::ListPosition;
use web::ApiError;

/// The media type.
const CSV: &str = "text/csv; charset=utf-8; header=present";

/// A list is JSON or a table, as the client accepts.
pub(crate) const VARY: [(HeaderName, &str); 1] = [(header::VARY, "accept")];

/// A page of a table: its rows, and where the next page begins.
pub(crate) type TablePage = (Vec<u8>, Option<ListPosition>);

/// Answers with a table whose first page is read already. The others are read and sent one by one; if one cannot be read,
/// the connection ends early.
pub(crate) fn table<F>(first: TablePage, following: impl Fn(ListPosition) -> F + Send + 'static) -> Response
where
    F: Future<Output = Result<TablePage, ApiError>> + Send + 'static,
{
    let parts = try_unfold((Some(first), following), |(unsent, following)| async move {
        let Some((rows, next)) = unsent else {
            return Ok::<_, io::Error>(None);
        };
        let unsent = match next {
            // The cause is logged already.
            Some(next) => Some(following(next).await.map_err(|_| cut_short())?),
            None => None,
        };
        Ok(Some((rows, (unsent, following))))
    });
    let file = "attachment; filename=\"charges.csv\"";
    let headers = [(header::CONTENT_TYPE, CSV), (header::CONTENT_DISPOSITION, file)];
    (VARY, headers, Body::from_stream(parts)).into_response()
}

fn cut_short() -> io::Error {
    io::Error::other("the table could not be read to its end")
}

/// The columns, in their order: each has a name and the place of its cell in the charge's JSON (RFC 6901). A new one is
/// added at the end, because programs may count them.
const COLUMNS: [(&str, &str); 37] = [
    ("id", "/id"),
    ("status", "/status"),
    ("item_code", "/item_code"),
    ("item_name", "/item_name"),
    ("amount_value", "/amount_value"),
    ("amount_currency", "/amount_currency"),
    ("capture_method", "/capture_method"),
    ("amount_capturable", "/amount_capturable"),
    ("amount_captured", "/amount_captured"),
    ("amount_refunded", "/amount_refunded"),
    ("capture_before", "/capture_before"),
    ("paid_at", "/paid_at"),
    ("partner_reference", "/partner_reference"),
    ("shopper_id", "/shopper_id"),
    ("metadata", "/metadata"),
    ("paid_with_brand", "/paid_with/brand"),
    ("paid_with_last_four", "/paid_with/last_four"),
    ("paid_with_first_six", "/paid_with/first_six"),
    ("paid_with_expiration_month", "/paid_with/expiration_month"),
    ("paid_with_expiration_year", "/paid_with/expiration_year"),
    ("paid_with_funding", "/paid_with/funding"),
    ("paid_with_country", "/paid_with/country"),
    ("paid_with_payment_method_id", "/paid_with/payment_method_id"),
    ("paid_with_security_code_check", "/paid_with/checks/security_code"),
    ("paid_with_postal_code_check", "/paid_with/checks/postal_code"),
    ("paid_with_three_ds_outcome", "/paid_with/three_ds/outcome"),
    ("paid_with_three_ds_flow", "/paid_with/three_ds/flow"),
    ("provider_name", "/provider/name"),
    ("provider_reference", "/provider/reference"),
    (
        "provider_network_transaction_id",
        "/provider/network_transaction_id",
    ),
    ("decline_code", "/decline_code"),
    ("decline_advice", "/decline/advice"),
    ("decline_network_code", "/decline/network_code"),
    ("dispute_status", "/dispute/status"),
    ("created_at", "/created_at"),
    ("updated_at", "/updated_at"),
    ("paid_with_network", "/paid_with/network"),
];

/// A charge's cells: an empty one where the charge has nothing, and JSON for what is not a text.
fn row(charge: &ChargeView) -> Result<[String; COLUMNS.len()], csv::Error> {
    let charge = serde_json::to_value(charge).map_err(io::Error::from)?;
    Ok(COLUMNS.map(|(_, place)| match charge.pointer(place) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => harmless(text),
        Some(other) => harmless(&other.to_string()),
    }))
}

/// The row with the names of the columns.
pub(crate) fn header() -> Result<Vec<u8>, csv::Error> {
    let mut table = writer();
    table.write_record(COLUMNS.map(|(name, _)| name))?;
    written(table)
}

/// A row for each charge.
pub(crate) fn rows(charges: &[ChargeView]) -> Result<Vec<u8>, csv::Error> {
    let mut table = writer();
    for charge in charges {
        table.write_record(row(charge)?)?;
    }
    written(table)
}

/// The row with the names of an operator's columns: the merchant is before those of a charge.
pub(crate) fn operator_header() -> Result<Vec<u8>, csv::Error> {
    let mut table = writer();
    table.write_record(std::iter::once("partner_id").chain(COLUMNS.map(|(name, _)| name)))?;
    written(table)
}

/// A row for each charge, the merchant first.
pub(crate) fn operator_rows(charges: &[OperatorCharge]) -> Result<Vec<u8>, csv::Error> {
    let mut table = writer();
    for OperatorCharge { partner_id, charge } in charges {
        table.write_record(std::iter::once(harmless(partner_id)).chain(row(charge)?))?;
    }
    written(table)
}

fn writer() -> csv::Writer<Vec<u8>> {
    // All texts are in quotation marks, so that a semicolon or a tab in one begins no cell where these separate cells.
    csv::WriterBuilder::new()
        .quote_style(csv::QuoteStyle::NonNumeric)
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new())
}

fn written(table: csv::Writer<Vec<u8>>) -> Result<Vec<u8>, csv::Error> {
    table
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))
}

/// The text with an apostrophe before it if a spreadsheet would take it for a formula. Japanese ones take wide signs, too.
fn harmless(text: &str) -> String {
    let begins_formula = text.starts_with([
        '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]);
    let mark = if begins_formula { "'" } else { "" };
    format!("{mark}{text}")
}

#[cfg(test)]
mod tests;
