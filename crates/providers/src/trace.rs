//! The trace that calls to the provider belong to, so that the provider's own records can be found by it.

tokio::task_local! {
    static TRACE_PARENT: String;
}

/// Does these calls with this `traceparent` (W3C Trace Context), if there is one.
pub(crate) async fn with_trace_parent<F: Future>(trace_parent: Option<String>, calls: F) -> F::Output {
    match trace_parent {
        Some(header) => TRACE_PARENT.scope(header, calls).await,
        None => calls.await,
    }
}

/// The `traceparent` of the calls that this one is one of.
pub(crate) fn trace_parent() -> Option<String> {
    TRACE_PARENT.try_with(String::clone).ok()
}
