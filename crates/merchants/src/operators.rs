//! The operators: the people who work at `/operator`, each with a key of their own, a role, and the merchants that they see.

mod key_files;
mod wrong_keys;

use std::path::Path;
use std::sync::Arc;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use protocol::clock::Clock;
use protocol::{ErrorCode, OperatorRole, OperatorView, SecretSource};

use store::Actor;

use self::key_files::{KeyOfOperator, read_all};
pub use self::key_files::{OperatorKeyError, operator_key_files};
use self::wrong_keys::WrongKeys;
use crate::callers::bearer;
use web::{ApiError, ClientAddress, Proxies, RequestLimit, count_limit, is_public};

/// The name of the person who has the key of `operator_key_file`.
const UNNAMED: &str = "operator";

/// A person at the operator's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The person's name, as it is in the audit log.
    pub name: String,
    /// What the person may do.
    pub role: OperatorRole,
    /// The merchants that the person sees; `None` for all.
    pub merchants: Option<Vec<String>>,
}

impl Operator {
    /// Whether the person sees this merchant's charges.
    pub fn sees(&self, partner_id: &str) -> bool {
        self.merchants
            .as_ref()
            .is_none_or(|merchants| merchants.iter().any(|id| id == partner_id))
    }

    /// The person in the audit log.
    pub fn actor(&self, at: i64) -> Actor {
        let actor = if self.name == UNNAMED {
            UNNAMED.to_owned()
        } else {
            format!("{UNNAMED} {}", self.name)
        };
        Actor { actor, at }
    }

    /// The person, for the person's own page.
    pub fn view(&self) -> OperatorView {
        OperatorView {
            name: self.name.clone(),
            role: self.role,
            merchants: self.merchants.clone(),
        }
    }
}

/// Checks operators' keys, and counts wrong ones. It has no `Debug`, so that no log shows a key.
pub struct Operators {
    keys: Vec<KeyOfOperator>,
    wrong_keys: WrongKeys,
    clock: Clock,
}

impl Operators {
    /// Reads the one key of `operator_key_file` and the keys of `operator_keys`.
    pub fn open(
        one: Option<SecretSource>,
        named: Option<&Path>,
        clock: Clock,
    ) -> Result<Self, OperatorKeyError> {
        Ok(Self {
            keys: read_all(one, named)?,
            wrong_keys: WrongKeys::default(),
            clock,
        })
    }

    /// Whether there is any key. Without one the page and its endpoints do not exist.
    pub fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The person with this key. The time that it takes tells nothing about any key: digests are compared, each in constant
    /// time, and all of them.
    fn with_key(&self, given: &str) -> Option<&Operator> {
        let given = digest(&SHA256, given.as_bytes());
        self.keys.iter().fold(None, |found, key| {
            let is_it = verify_slices_are_equal(&key.sha256, given.as_ref()).is_ok();
            if is_it { Some(&key.operator) } else { found }
        })
    }
}

fn too_many_keys(wait_ms: i64) -> ApiError {
    count_limit(RequestLimit::OperatorKeys);
    let message = "There were too many wrong keys. The retry-after header says when to try again.";
    ApiError::too_many_requests(wait_ms, message)
}

fn forbidden(message: &'static str) -> ApiError {
    ApiError::new(ErrorCode::OperatorForbidden, message)
}

/// An operator, by `Authorization: Bearer`. 404 if no key is set, 401 for a wrong one, 429 after too many wrong ones.
#[derive(Debug)]
pub struct KnownOperator(pub Operator);

impl<S: Send + Sync> FromRequestParts<S> for KnownOperator
where
    Arc<Operators>: FromRef<S>,
    Arc<Proxies>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let operators = <Arc<Operators>>::from_ref(state);
        if !operators.has_keys() {
            return Err(ApiError::not_found());
        }
        let ClientAddress(address) = ClientAddress::from_request_parts(parts, state).await?;
        let now = operators.clock.now_ms();
        let refused_for_ms = operators.wrong_keys.refused_for_ms(address, now);
        if let Some(wait_ms) = refused_for_ms
            && is_public(address)
        {
            return Err(too_many_keys(wait_ms));
        }
        let given = bearer(&parts.headers);
        match (given.and_then(|given| operators.with_key(given)), refused_for_ms) {
            (Some(operator), _) => Ok(Self(operator.clone())),
            (None, Some(wait_ms)) => Err(too_many_keys(wait_ms)),
            (None, None) => {
                // A request without a key is not a guess, so it is not counted.
                if given.is_some() {
                    operators.wrong_keys.count(address, now);
                }
                Err(ApiError::new(
                    ErrorCode::SecretKeyInvalid,
                    "Send the operator's key as Authorization: Bearer.",
                ))
            }
        }
    }
}

/// An operator who sees all merchants, and so the figures of all together. 403 for the others.
#[derive(Debug)]
pub struct OperatorOfAll;

impl<S: Send + Sync> FromRequestParts<S> for OperatorOfAll
where
    Arc<Operators>: FromRef<S>,
    Arc<Proxies>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let KnownOperator(operator) = KnownOperator::from_request_parts(parts, state).await?;
        match operator.merchants {
            None => Ok(Self),
            Some(_) => Err(forbidden("The report is for operators of all merchants.")),
        }
    }
}

/// An operator who may change something: 403 for a reader.
#[derive(Debug)]
pub struct ActingOperator(pub Operator);

impl<S: Send + Sync> FromRequestParts<S> for ActingOperator
where
    Arc<Operators>: FromRef<S>,
    Arc<Proxies>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let KnownOperator(operator) = KnownOperator::from_request_parts(parts, state).await?;
        if !operator.role.may_act() {
            return Err(forbidden("A reader can look at charges, but not change them."));
        }
        Ok(Self(operator))
    }
}

#[cfg(test)]
mod tests;
