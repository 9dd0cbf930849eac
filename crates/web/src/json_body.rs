//! Reads a JSON body. Another content type is a 415, a body over the limit a 413, a wrong field a 400 with the field's
//! name. No message repeats what was sent. The bytes are zeroed after parsing, because they may contain a card number.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use protocol::ErrorCode;
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
            return Err(ApiError::new(
                ErrorCode::UnsupportedMediaType,
                "Send the body as content-type application/json.",
            ));
        }
        let bytes = Bytes::from_request(request, state).await?;
        let parsed = parse(&bytes);
        // Only possible when the buffer is not shared: the connection may still read into it.
        if let Ok(mut buffer) = bytes.try_into_mut() {
            buffer.as_mut().zeroize();
        }
        parsed.map(Self)
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
    // Most bodies are right. Keeping track of the path to a field would take as long as parsing, so only a wrong body
    // is parsed again for that.
    serde_json::from_slice(bytes).or_else(|_| parse_with_paths(bytes))
}

fn parse_with_paths<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| explain(&error, bytes))?;
    json.end().map_err(|_| not_json())?;
    Ok(value)
}

fn not_json() -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, "The body is not valid JSON.")
}

/// The longest field path in an answer, in bytes. The fields' own paths are shorter.
const PATH_BYTES_MAX: usize = 100;

/// An answer in words of our own, because serde's message may contain the value.
fn explain(error: &serde_path_to_error::Error<serde_json::Error>, bytes: &[u8]) -> ApiError {
    // Serde sometimes reports a wrong type as a syntax error: a list where an enum's name should be.
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    let path = error.path().to_string();
    if !is_json || path.len() > PATH_BYTES_MAX {
        return not_json();
    }
    let text = error.inner().to_string();
    // The name is from the type, not from the body.
    let missing = text
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split('`').next());
    match (path.as_str(), missing) {
        (".", Some(name)) => ApiError::invalid(name, "This field is required."),
        (path, Some(name)) => ApiError::invalid(format!("{path}.{name}"), "This field is required."),
        (".", None) => ApiError::new(
            ErrorCode::InvalidRequest,
            "The body must be a JSON object with each field once.",
        ),
        (path, None) => ApiError::invalid(
            path,
            "This field has the wrong type, or a value that it cannot have.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use protocol::DirectCharge;

    fn field(body: &str) -> (u16, String) {
        let error = parse::<DirectCharge>(body.as_bytes()).map(|_| ()).unwrap_err();
        let field = error.detail().field.clone();
        (error.into_response().status().as_u16(), field.unwrap_or_default())
    }

    #[test]
    fn a_missing_field_is_named_with_its_path() {
        assert_eq!(field("{}"), (400, "charge_id".to_owned()));
        let nested = r#"{"charge_id":"c","shopper_agent":{"ip_address":""}}"#;
        assert_eq!(field(nested), (400, "shopper_agent.user_agent".to_owned()));
    }

    #[test]
    fn a_field_of_the_wrong_type_is_named_without_its_value() {
        assert_eq!(
            field(r#"{"charge_id":4242424242424242}"#),
            (400, "charge_id".to_owned())
        );
        let error = parse::<DirectCharge>(br#"{"charge_id":4242424242424242}"#)
            .map(|_| ())
            .unwrap_err();
        assert!(!format!("{error:?}").contains("4242"));
    }

    #[test]
    fn a_body_that_is_no_json_object_names_no_field() {
        for body in [
            "",
            "{",
            "nonsense",
            "[]",
            "null",
            "{\"charge_id\":",
            r#"{"charge_id":"a","charge_id":"b"}"#,
        ] {
            assert_eq!(field(body), (400, String::new()), "{body}");
        }
    }

    #[test]
    fn the_content_type_may_carry_a_charset() {
        let json = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, value.parse().unwrap());
            is_json(&headers)
        };
        assert!(json("application/json") && json("Application/JSON; charset=utf-8"));
        assert!(!json("text/plain") && !json("application/json-seq"));
        assert!(!is_json(&HeaderMap::new()));
    }
}
