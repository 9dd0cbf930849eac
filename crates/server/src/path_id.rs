//! An id in a path: what cannot be an id is a 404 in our own words.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use crate::api_error::ApiError;

/// The one parameter of a path.
#[derive(Debug)]
pub struct PathId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Path(id) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::not_found())?;
        Ok(Self(id))
    }
}
