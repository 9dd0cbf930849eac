//! The operator's key, which gives access to the report.

use std::path::PathBuf;
use std::sync::Arc;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use protocol::{ErrorCode, SecretSource, Sensitive};
use thiserror::Error;

use super::report::Reports;
use super::wrong_keys::WrongKeys;
use merchants::callers::bearer;
use web::api_error::ApiError;
use web::client_ip::{ClientAddress, Proxies};
use web::limits_hit::{RequestLimit, count_limit};
use web::public_address::is_public;

/// The shortest key, in characters; a random key of this length cannot be guessed.
pub const KEY_CHARACTERS_MIN: usize = 32;
/// The longest key, in characters.
const KEY_CHARACTERS_MAX: usize = 255;

/// Why the key cannot be used. The text is one line for the operator, without the key.
#[derive(Debug, Error)]
pub enum OperatorKeyError {
    /// The file cannot be read.
    #[error("cannot read the operator's key from {0}: {1}")]
    File(PathBuf, std::io::Error),
    /// It is too short or too long, or has other characters than visible ASCII.
    #[error("the operator's key must have 32 to 255 visible ASCII characters")]
    Form,
}

/// Checks the operator's key, and counts wrong ones. It has no `Debug`, so that no log shows the key.
pub struct Operator {
    /// The digest of the key. Digests are compared, so that the time of a comparison does not reveal the key's length.
    sha256: Vec<u8>,
    wrong_keys: WrongKeys,
}

impl Operator {
    /// Reads the key.
    pub fn open(source: SecretSource) -> Result<Self, OperatorKeyError> {
        let key = match source {
            SecretSource::Setting(key) => key,
            SecretSource::File(file) => {
                let text =
                    std::fs::read_to_string(&file).map_err(|cause| OperatorKeyError::File(file, cause))?;
                Sensitive::new(text.trim().to_owned())
            }
        };
        let characters = key.expose().len();
        let is_long_enough = (KEY_CHARACTERS_MIN..=KEY_CHARACTERS_MAX).contains(&characters);
        if !is_long_enough || !key.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(OperatorKeyError::Form);
        }
        Ok(Self {
            sha256: digest(&SHA256, key.expose().as_bytes()).as_ref().to_vec(),
            wrong_keys: WrongKeys::default(),
        })
    }

    fn is_key(&self, given: &str) -> bool {
        let given = digest(&SHA256, given.as_bytes());
        verify_slices_are_equal(&self.sha256, given.as_ref()).is_ok()
    }
}

fn too_many_keys(wait_ms: i64) -> ApiError {
    count_limit(RequestLimit::OperatorKeys);
    let message = "There were too many wrong keys. The retry-after header says when to try again.";
    ApiError::too_many_requests(wait_ms, message)
}

/// The operator, by `Authorization: Bearer`. 404 if no key is set, 401 for a wrong one, 429 after too many wrong ones.
#[derive(Debug)]
pub struct KnownOperator;

impl<S: Send + Sync> FromRequestParts<S> for KnownOperator
where
    Arc<Reports>: FromRef<S>,
    Arc<Proxies>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let reports = <Arc<Reports>>::from_ref(state);
        let operator = reports.operator.as_ref().ok_or_else(ApiError::not_found)?;
        let ClientAddress(address) = ClientAddress::from_request_parts(parts, state).await?;
        let now = reports.clock.now_ms();
        let refused_for_ms = operator.wrong_keys.refused_for_ms(address, now);
        let is_one_client = is_public(address);
        match (bearer(&parts.headers), refused_for_ms) {
            (_, Some(wait_ms)) if is_one_client => Err(too_many_keys(wait_ms)),
            (Some(given), _) if operator.is_key(given) => Ok(Self),
            (_, Some(wait_ms)) => Err(too_many_keys(wait_ms)),
            (given, None) => {
                // A request without a key is not a guess, so it is not counted.
                if given.is_some() {
                    operator.wrong_keys.count(address, now);
                }
                Err(ApiError::new(
                    ErrorCode::SecretKeyInvalid,
                    "Send the operator's key as Authorization: Bearer.",
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests;
