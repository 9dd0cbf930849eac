//! Merchants' logos, served from our own origin. So shoppers' browsers ask no other server for them, and a picture
//! cannot change after the operator has set it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use page::{IMMUTABLE, RESOURCE_POLICY};
use protocol::ids::sha256_hex;
use store::Logo;
use thiserror::Error;

use super::state::ServedPages;
use web::PathId;

/// The largest file, in bytes.
pub(crate) const LOGO_BYTES_MAX: usize = 64 * 1024;

/// The allowed kinds of pictures: first bytes, file ending and media type. None of them can contain a script.
const KINDS: [(&[u8], &str, &str); 3] = [
    (b"\x89PNG\r\n\x1a\n", "png", "image/png"),
    (b"\xff\xd8\xff", "jpg", "image/jpeg"),
    (b"RIFF", "webp", "image/webp"),
];

/// Why a file cannot be a logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum LogoError {
    /// It is larger than [`LOGO_BYTES_MAX`].
    #[error("the logo is larger than 64 KiB")]
    TooLarge,
    /// It is not one of the allowed kinds.
    #[error("the logo must be a PNG, JPEG or WebP file")]
    Kind,
}

/// Reads a logo from the bytes of a file.
pub(crate) fn read_logo(file: &[u8]) -> Result<Logo, LogoError> {
    if file.len() > LOGO_BYTES_MAX {
        return Err(LogoError::TooLarge);
    }
    let (_, ending, _) = KINDS
        .into_iter()
        .find(|(begins, ending, _)| {
            file.starts_with(begins) && (*ending != "webp" || file.get(8..12) == Some(b"WEBP"))
        })
        .ok_or(LogoError::Kind)?;
    Ok(Logo {
        name: format!("{}.{ending}", sha256_hex(file)),
        body: STANDARD.encode(file),
    })
}

/// `GET /logos/{name}`.
pub(crate) async fn merchant_logo(State(served): State<Arc<ServedPages>>, PathId(name): PathId) -> Response {
    let media_type = KINDS
        .into_iter()
        .find(|(_, ending, _)| name.rsplit_once('.').is_some_and(|(_, end)| end == *ending))
        .map(|(_, _, media_type)| media_type);
    let Some(media_type) = media_type else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let picture = match served.store.logo(&name).await {
        Ok(body) => body.and_then(|body| STANDARD.decode(body).ok()),
        Err(error) => {
            tracing::error!(%error, "a merchant's logo could not be read from the database");
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
    };
    let Some(picture) = picture else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers: [(HeaderName, HeaderValue); 5] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static(IMMUTABLE)),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; sandbox"),
        ),
        (RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    ];
    (headers, picture).into_response()
}

#[cfg(test)]
mod tests;
