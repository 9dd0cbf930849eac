//! The span of a call to the provider, and the `traceparent` that the provider gets with it.

use providers::with_trace_parent;
use tracing::Instrument;

use super::traces::trace_parent;
use crate::http::request_ids;
use crate::http::trace_context::TraceContext;

/// How many hexadecimal digits a call's own part of a trace has.
const OWN_DIGITS: usize = 16;

/// Makes a call to the provider for an attempt of a charge.
pub(crate) fn provider_call<F: Future>(
    call: &'static str,
    attempt_id: &str,
    charge_id: &str,
    made: F,
) -> impl Future<Output = F::Output> {
    let span = tracing::info_span!("provider", call, attempt_id, charge_id);
    let header = trace_parent(&span).or_else(|| of_request(attempt_id));
    // In a box, because it is long, and is moved several times.
    with_trace_parent(header, Box::pin(made)).instrument(span)
}

/// Without a collector: the request's trace, in which the call goes by the end of its attempt's id, which is random.
fn of_request(attempt_id: &str) -> Option<String> {
    let ids = request_ids::current();
    let trace = ids.trace()?;
    let own_id = attempt_id.get(attempt_id.len().checked_sub(OWN_DIGITS)?..)?;
    Some(TraceContext::header(&trace.id, own_id, trace.is_sampled))
}
