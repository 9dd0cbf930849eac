//! Reads a JSON body. Another content type is a 415, a body over the limit a 413, a wrong field a 400 with the field's
//! name. No message repeats text of the body. The bytes are zeroed after parsing, because they may contain a card number.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use protocol::ErrorCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use zeroize::Zeroize;

use crate::api_error::ApiError;

/// The largest body that is read, in bytes.
pub const BODY_BYTES_MAX: usize = 64 * 1024;

/// A body of `content-type: application/json`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            return Err(not_json_type());
        }
        let bytes = Bytes::from_request(request, state).await?;
        let parsed = parse(&bytes);
        zero(bytes);
        parsed.map(Self)
    }
}

/// A JSON body that may be left out; then every field is absent.
#[derive(Debug)]
pub struct OptionalBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let has_type = is_json(request.headers());
        let bytes = Bytes::from_request(request, state).await?;
        if bytes.trim_ascii().is_empty() {
            return Ok(Self(T::default()));
        }
        if !has_type {
            return Err(not_json_type());
        }
        parse(&bytes).map(Self)
    }
}

fn not_json_type() -> ApiError {
    ApiError::new(
        ErrorCode::UnsupportedMediaType,
        "Send the body as content-type application/json.",
    )
}

fn zero(bytes: Bytes) {
    // Only possible when the buffer is not shared: the connection may still read into it.
    if let Ok(mut buffer) = bytes.try_into_mut() {
        buffer.as_mut().zeroize();
    }
}

/// No body, or JSON without any field, because a field would be a wish that is not fulfilled.
#[derive(Debug)]
pub struct NoFields;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fieldless {}

impl<S: Send + Sync> FromRequest<S> for NoFields {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state).await?;
        // Some libraries write an empty object of theirs as a list.
        let is_empty = matches!(bytes.trim_ascii(), b"" | b"null" | b"[]");
        let parsed = if is_empty {
            Ok(())
        } else {
            parse::<Fieldless>(&bytes).map(|_| ())
        };
        zero(bytes);
        parsed.map(|()| Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if has_escaped_nul(bytes) {
        return Err(ApiError::new(
            ErrorCode::InvalidRequest,
            "The body has a text with a NUL character, which no field can have.",
        ));
    }
    // Serde would take a list for the fields of an object, in their order.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(no_object());
    }
    // Most bodies are valid. To record the path to each field takes as long as parsing, so only an invalid body is parsed again
    // for its path.
    serde_json::from_slice(bytes).or_else(|_| parse_with_paths(bytes))
}

/// Whether a text in the JSON has the character NUL. PostgreSQL cannot store it, and no field needs it.
fn has_escaped_nul(json: &[u8]) -> bool {
    const NUL: &[u8] = b"\\u0000";
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        rest = &rest[at..];
        if rest.starts_with(NUL) {
            return true;
        }
        // The second character of an escape begins no other one.
        rest = rest.get(2..).unwrap_or_default();
    }
    false
}

fn parse_with_paths<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| explain(&error, bytes))?;
    json.end().map_err(|_| not_json())?;
    Ok(value)
}

fn no_object() -> ApiError {
    ApiError::new(
        ErrorCode::InvalidRequest,
        "The body must be a JSON object with each field once.",
    )
}

fn not_json() -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, "The body is not valid JSON.")
}

/// The longest field path in an answer, in bytes. The fields' own paths are shorter.
const PATH_BYTES_MAX: usize = 100;

/// An answer without serde's message, because that may contain the value.
fn explain(error: &serde_path_to_error::Error<serde_json::Error>, bytes: &[u8]) -> ApiError {
    // Serde sometimes reports a wrong type as a syntax error: a list where an enum's name should be.
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    let path = error.path().to_string();
    if !is_json {
        return not_json();
    }
    if path.len() > PATH_BYTES_MAX {
        return ApiError::new(ErrorCode::InvalidRequest, "The name of a field is too long.");
    }
    let text = error.inner().to_string();
    if let Some(rest) = text.strip_prefix("unknown field `") {
        return unknown_field(&path, rest.rsplit_once("`, expected ").map(|(_, known)| known));
    }
    // The name is from the type, not from the body.
    let missing = text
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split('`').next());
    if text.contains("hex escape") {
        return ApiError::new(
            ErrorCode::InvalidRequest,
            "The body has an escape such as \\ud800, which is half of a character.",
        );
    }
    match (path.as_str(), missing) {
        (".", Some(name)) => ApiError::invalid(name, "This field is required."),
        (path, Some(name)) => ApiError::invalid(format!("{path}.{name}"), "This field is required."),
        (".", None) => no_object(),
        ("amount_value", None) => ApiError::invalid(
            "amount_value",
            "An amount is a text in quotation marks, in the currency's major unit: \"12.50\".",
        ),
        (path, None) if text.contains("expected a string") => {
            ApiError::invalid(path, "This field must be a text in quotation marks.")
        }
        (path, None) if text.contains("expected a boolean") => {
            ApiError::invalid(path, "This field must be true or false, without quotation marks.")
        }
        (path, None) => ApiError::invalid(
            path,
            "This field has the wrong type, or a value that it cannot have.",
        ),
    }
}

/// A field that the body's type does not have. `known` is the end of serde's message, which lists the fields of the type,
/// if it has any. The sender's name is repeated only if it can be a field's name.
fn unknown_field(path: &str, known: Option<&str>) -> ApiError {
    let fields = known.map(|known| known.strip_prefix("one of ").unwrap_or(known));
    let fields = fields.and_then(|known| known.split(" at line ").next());
    let message = fields.map_or_else(
        || "This request has no fields.".to_owned(),
        |fields| format!("There is no field of this name. The fields are {fields}."),
    );
    let can_be_in_a_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    if path.chars().all(can_be_in_a_name) {
        ApiError::invalid(escaped(path), message)
    } else {
        ApiError::new(ErrorCode::InvalidRequest, message)
    }
}

/// `name` with JSON's escapes for foreign letters, because some look like letters of a known field: `\u0430mount_value`.
fn escaped(name: &str) -> String {
    let units = name.encode_utf16();
    units
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => format!("\\u{unit:04x}"),
        })
        .collect()
}

#[cfg(test)]
mod tests;
