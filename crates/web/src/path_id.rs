//! The parameters of a path. If one is not valid UTF-8, the answer is a 404 with the service's error body.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::api_error::ApiError;

/// The one parameter of a path.
#[derive(Debug)]
pub struct PathId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Named(id) = Named::<String>::from_request_parts(parts, state).await?;
        Ok(Self(id))
    }
}

/// The parameters of a path that names a file or a page. `%ff` is not UTF-8, so it names nothing.
#[derive(Debug)]
pub struct Named<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Path(names) = Path::<T>::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::not_found())?;
        Ok(Self(names))
    }
}
