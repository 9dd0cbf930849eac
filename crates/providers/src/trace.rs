//! The trace of a call to the provider. The provider's records have the trace's id, too.

tokio::task_local! {
    static TRACE_PARENT: String;
}

/// Runs `calls` with this `traceparent` (W3C Trace Context), if there is one.
pub(crate) async fn with_trace_parent<F: Future>(trace_parent: Option<String>, calls: F) -> F::Output {
    match trace_parent {
        Some(header) => TRACE_PARENT.scope(header, calls).await,
        None => calls.await,
    }
}

/// The `traceparent` of the present call.
pub(crate) fn trace_parent() -> Option<String> {
    TRACE_PARENT.try_with(String::clone).ok()
}
