//! Charges as a table in CSV (RFC 4180). A spreadsheet shows each cell as a text: none begins a formula.

use std::io;

use axum::body::Body;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;
use protocol::{ChargeView, DisputeView, OperatorCharge, PaidWith};
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

/// A column: its name, and its cell for a charge.
type CsvColumn = (&'static str, fn(&ChargeView) -> Option<String>);

/// The columns, in their order. A new one is added at the end, because programs may count them.
const COLUMNS: [CsvColumn; 37] = [
    ("id", |charge| some(&charge.id)),
    ("status", |charge| some(charge.status.as_str())),
    ("item_code", |charge| some(&charge.item_code)),
    ("item_name", |charge| some(&charge.item_name)),
    ("amount_value", |charge| some(&charge.amount_value)),
    ("amount_currency", |charge| some(&charge.amount_currency)),
    ("capture_method", |charge| some(charge.capture_method.as_str())),
    ("amount_capturable", |charge| some(&charge.amount_capturable)),
    ("amount_captured", |charge| some(&charge.amount_captured)),
    ("amount_refunded", |charge| some(&charge.amount_refunded)),
    ("capture_before", |charge| charge.capture_before.clone()),
    ("paid_at", |charge| charge.paid_at.clone()),
    ("partner_reference", |charge| some(&charge.partner_reference)),
    ("shopper_id", |charge| charge.shopper_id.clone()),
    ("metadata", |charge| serde_json::to_string(&charge.metadata).ok()),
    ("paid_with_brand", |charge| card(charge, |card| some(&card.brand))),
    ("paid_with_last_four", |charge| {
        card(charge, |card| some(&card.last_four))
    }),
    ("paid_with_first_six", |charge| {
        card(charge, |card| card.first_six.clone())
    }),
    ("paid_with_expiration_month", |charge| {
        card(charge, |card| card.expiration_month.clone())
    }),
    ("paid_with_expiration_year", |charge| {
        card(charge, |card| card.expiration_year.clone())
    }),
    ("paid_with_funding", |charge| {
        card(charge, |card| card.funding.clone())
    }),
    ("paid_with_country", |charge| {
        card(charge, |card| card.country.clone())
    }),
    ("paid_with_payment_method_id", |charge| {
        card(charge, |card| card.payment_method_id.clone())
    }),
    ("paid_with_security_code_check", |charge| {
        card(charge, |card| card.checks.security_code.clone())
    }),
    ("paid_with_postal_code_check", |charge| {
        card(charge, |card| card.checks.postal_code.clone())
    }),
    ("paid_with_three_ds_outcome", |charge| {
        card(charge, |card| {
            card.three_ds.as_ref().map(|result| result.outcome.clone())
        })
    }),
    ("paid_with_three_ds_flow", |charge| {
        card(charge, |card| card.three_ds.as_ref()?.flow.clone())
    }),
    ("provider_name", |charge| some(&charge.provider.as_ref()?.name)),
    ("provider_reference", |charge| {
        charge.provider.as_ref()?.reference.clone()
    }),
    ("provider_network_transaction_id", |charge| {
        charge.provider.as_ref()?.network_transaction_id.clone()
    }),
    ("decline_code", |charge| charge.decline_code.clone()),
    ("decline_advice", |charge| some(&charge.decline.as_ref()?.advice)),
    ("decline_network_code", |charge| {
        charge.decline.as_ref()?.network_code.clone()
    }),
    ("dispute_status", |charge| {
        charge.dispute.as_ref().and_then(dispute_status)
    }),
    ("created_at", |charge| some(&charge.created_at)),
    ("updated_at", |charge| some(&charge.updated_at)),
    ("paid_with_network", |charge| {
        card(charge, |card| card.network.clone())
    }),
];

#[expect(clippy::unnecessary_wraps, reason = "a column's cell may be absent")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn card(charge: &ChargeView, part: fn(&PaidWith) -> Option<String>) -> Option<String> {
    charge.paid_with.as_ref().and_then(part)
}

fn dispute_status(dispute: &DisputeView) -> Option<String> {
    let status = serde_json::to_value(dispute.status).ok()?;
    status.as_str().map(str::to_owned)
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
        table.write_record(COLUMNS.map(|(_, cell)| cell(charge).map(harmless).unwrap_or_default()))?;
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
        let cells = COLUMNS.map(|(_, cell)| cell(charge).map(harmless).unwrap_or_default());
        table.write_record(std::iter::once(harmless(partner_id.clone())).chain(cells))?;
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
fn harmless(text: String) -> String {
    let begins_formula = text.starts_with([
        '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]);
    if begins_formula { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests;
