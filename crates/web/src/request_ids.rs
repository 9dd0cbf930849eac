//! The merchant, charge and attempt of a request, for its lines in the log. Their ids are from the database or from a signed
//! client secret, never from a client's own text.

use std::sync::{Arc, OnceLock};

use rules::has_card_number;

tokio::task_local! {
    static CURRENT: Arc<RequestIds>;
}

/// The trace that a request belongs to.
#[derive(Debug, Clone)]
pub struct TraceOfRequest {
    /// 32 hexadecimal digits.
    pub id: String,
    /// Whether the caller records it.
    pub is_sampled: bool,
}

/// The ids of one request. Each is noted once.
#[derive(Debug, Default)]
pub struct RequestIds {
    trace: Option<TraceOfRequest>,
    partner: OnceLock<String>,
    charge: OnceLock<String>,
    attempt: OnceLock<String>,
}

impl RequestIds {
    /// The ids of a request that begins.
    pub fn new(trace: Option<TraceOfRequest>) -> Arc<Self> {
        Arc::new(Self {
            trace,
            ..Self::default()
        })
    }

    /// The trace that the request belongs to.
    pub fn trace(&self) -> Option<&TraceOfRequest> {
        self.trace.as_ref()
    }

    /// The trace's id for logs and answers. `None` if its digits look like a card number; the request still belongs to its
    /// trace.
    pub fn trace_id(&self) -> Option<&str> {
        let id = self.trace().map(|trace| trace.id.as_str());
        id.filter(|id| !has_card_number(id.as_bytes()))
    }

    /// The id of the merchant whose server or page calls.
    pub fn partner(&self) -> Option<&str> {
        self.partner.get().map(String::as_str)
    }

    /// The id of the charge.
    pub fn charge(&self) -> Option<&str> {
        self.charge.get().map(String::as_str)
    }

    /// The id of the attempt to pay.
    pub fn attempt(&self) -> Option<&str> {
        self.attempt.get().map(String::as_str)
    }
}

/// Runs `work` with these ids as the current request's.
pub async fn for_request<F: Future>(ids: Arc<RequestIds>, work: F) -> F::Output {
    CURRENT.scope(ids, work).await
}

/// The same work with the ids of the current request, for another task.
pub fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    CURRENT.scope(current(), work)
}

/// The ids of the current request. They are empty outside of a request.
pub fn current() -> Arc<RequestIds> {
    CURRENT.try_with(Arc::clone).unwrap_or_default()
}

/// Notes the merchant of the current request.
pub fn note_partner(id: &str) {
    note(|ids| &ids.partner, id);
}

/// Notes the charge of the current request.
pub fn note_charge(id: &str) {
    note(|ids| &ids.charge, id);
}

/// Notes the attempt of the current request.
pub fn note_attempt(id: &str) {
    note(|ids| &ids.attempt, id);
}

fn note(which: impl Fn(&RequestIds) -> &OnceLock<String>, id: &str) {
    // Outside of a request, as on the command line, nothing is noted.
    let _ = CURRENT.try_with(|ids| which(ids).get_or_init(|| id.to_owned()).len());
}

#[cfg(test)]
mod tests;
