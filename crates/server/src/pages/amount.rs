//! The text of an amount, for a page whose language changes.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use page::amount_text;
use rules::amount::AmountError;

use web::{ApiError, Named};

/// For how long a browser may cache an amount's text.
const KEPT: &str = "public, max-age=3600";

/// `GET /amounts/{tag}/{currency}/{value}`: the amount for a page whose language changes. The text is the same as in a
/// page that is loaded in that language.
pub(crate) async fn amount_in_locale(
    Named((tag, currency, value)): Named<(String, String, String)>,
) -> Result<Response, ApiError> {
    let locale = rules::locale::nearest(&tag)
        .ok_or_else(|| ApiError::invalid("tag", "There is no locale for this tag."))?;
    rules::amount::parse_of_charge(&value, &currency).map_err(|error| match error {
        AmountError::Currency => ApiError::invalid("currency", "This is no currency that can be paid in."),
        AmountError::Value => ApiError::invalid("value", "This is no amount of the currency."),
    })?;
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CACHE_CONTROL, KEPT),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, amount_text(&value, &currency, locale.iso)).into_response())
}
