//! The query of a list: each parameter at most once, and none that the list does not have.

use std::collections::HashMap;

use jiff::Timestamp;
use store::ListPosition;
use url::form_urlencoded;

use crate::saved_cards::list_payment_methods::number;
use web::{ApiError, Parameter, ParameterValue};

/// The largest page.
pub(crate) const LIMIT_MAX: u32 = 100;
const LIMIT: u32 = 20;
/// The longest unknown name that an error repeats, in bytes.
const NAME_BYTES_MAX: usize = 100;
/// The longest id in a position, in bytes.
const ID_BYTES_MAX: usize = 64;

/// How many entries a page has.
pub(crate) const LIMIT_PARAMETER: Parameter = Parameter::query(
    "limit",
    "How many entries the page has at most.",
    ParameterValue::Number {
        max: LIMIT_MAX,
        default: LIMIT,
    },
);

/// Where a page begins.
pub(crate) const AFTER_PARAMETER: Parameter = Parameter::query(
    "after",
    "The `next` of the page before.",
    ParameterValue::Position,
);

/// The parameters that were sent.
pub(crate) struct ListQuery(HashMap<&'static str, String>);

impl ListQuery {
    /// Reads the query. `known` has the list's parameters.
    pub(crate) fn read(query: Option<&str>, known: &[Parameter]) -> Result<Self, ApiError> {
        let mut sent = HashMap::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let Some(parameter) = known.iter().find(|parameter| parameter.name == name) else {
                return Err(unknown(&name, known));
            };
            if value.contains('\0') {
                return Err(ApiError::invalid(
                    parameter.name,
                    "This parameter must not have a NUL.",
                ));
            }
            if sent.insert(parameter.name, value.into_owned()).is_some() {
                return Err(ApiError::invalid(parameter.name, "Send this parameter once."));
            }
        }
        Ok(Self(sent))
    }

    /// The value of this parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// How many entries the page has at most.
    pub(crate) fn limit(&self) -> Result<usize, ApiError> {
        number(self.get("limit"), LIMIT, LIMIT_MAX)
            .and_then(|limit| usize::try_from(limit).ok())
            .ok_or_else(|| ApiError::invalid("limit", "This parameter must be 1 to 100."))
    }

    /// Where the page begins.
    pub(crate) fn after(&self) -> Result<Option<ListPosition>, ApiError> {
        let Some(text) = self.get("after") else {
            return Ok(None);
        };
        position(text)
            .map(Some)
            .ok_or_else(|| ApiError::invalid("after", "This parameter must be the next of the page before."))
    }

    /// A time, in unix milliseconds.
    pub(crate) fn time(&self, name: &'static str) -> Result<Option<i64>, ApiError> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let time: Timestamp = text.parse().map_err(|_| {
            ApiError::invalid(
                name,
                "This parameter must be a time in RFC 3339, such as 2026-07-15T00:00:00Z. Write + as %2B.",
            )
        })?;
        Ok(Some(time.as_millisecond()))
    }
}

/// The error names the parameter if its name can be one.
fn unknown(name: &str, known: &[Parameter]) -> ApiError {
    let names: Vec<&str> = known.iter().map(|parameter| parameter.name).collect();
    let message = format!(
        "There is no parameter of this name. The parameters are {}.",
        names.join(", ")
    );
    let can_be_a_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_repeated = !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.bytes().all(can_be_a_name);
    ApiError::invalid(if is_repeated { name } else { "query" }, message)
}

/// A position as the parameter `after` has it.
pub(crate) fn position_text(position: &ListPosition) -> String {
    format!("{}.{}", position.created_at, position.id)
}

fn position(text: &str) -> Option<ListPosition> {
    let (created_at, id) = text.split_once('.')?;
    let is_number = created_at.bytes().all(|byte| byte.is_ascii_digit());
    let is_id = (1..=ID_BYTES_MAX).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_number || !is_id {
        return None;
    }
    Some(ListPosition {
        created_at: created_at.parse().ok()?,
        id: id.to_owned(),
    })
}

#[cfg(test)]
mod tests;
