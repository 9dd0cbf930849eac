//! The header `traceparent` names the trace that a request belongs to (W3C Trace Context). An invalid one is ignored, as the
//! standard requires.

use axum::http::{HeaderMap, HeaderName};

/// The header, in requests to us and in ours to the provider.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The header's length in version 00: `00-`, 32 digits, `-`, 16 digits, `-`, two digits.
const LENGTH: usize = 55;
/// The version that no header may have.
const NO_VERSION: &str = "ff";

/// A trace that a request belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    /// 32 hexadecimal digits.
    pub trace_id: String,
    /// The caller's own part of the trace, 16 hexadecimal digits.
    pub parent_id: String,
    /// Whether the caller records the trace.
    pub is_sampled: bool,
}

impl TraceContext {
    /// The trace in the request's `traceparent`; `None` if there is not exactly one, or if it is invalid.
    pub fn of_request(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACEPARENT).iter();
        let (value, None) = (values.next()?, values.next()) else {
            return None;
        };
        Self::read(value.to_str().ok()?)
    }

    fn read(value: &str) -> Option<Self> {
        let mut parts = value.split('-');
        let version = digits(parts.next()?, 2)?;
        let trace_id = digits(parts.next()?, 32)?;
        let parent_id = digits(parts.next()?, 16)?;
        let flags = u8::from_str_radix(digits(parts.next()?, 2)?, 16).ok()?;
        let is_known_length = value.len() == LENGTH || version != "00";
        let is_zero = |digits: &str| digits.bytes().all(|digit| digit == b'0');
        if version == NO_VERSION || !is_known_length || is_zero(trace_id) || is_zero(parent_id) {
            return None;
        }
        Some(Self {
            trace_id: trace_id.to_owned(),
            parent_id: parent_id.to_owned(),
            is_sampled: flags & 1 == 1,
        })
    }

    /// The header for a call that is made for the request, with the call's own 16 hexadecimal digits.
    pub fn header(trace_id: &str, own_id: &str, is_sampled: bool) -> String {
        format!("00-{trace_id}-{own_id}-{:02x}", u8::from(is_sampled))
    }
}

/// The text if it is this many lower-case hexadecimal digits.
fn digits(text: &str, count: usize) -> Option<&str> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (text.len() == count && text.bytes().all(is_digit)).then_some(text)
}

#[cfg(test)]
mod tests;
