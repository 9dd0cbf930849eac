use std::sync::Arc;

use super::*;

#[test]
fn dependencies_log_only_warnings_at_any_level() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let lines = Arc::new(file.reopen().unwrap());
    let all = EnvFilter::builder().parse("trace").unwrap();
    tracing::subscriber::with_default(subscriber(all, LogFormat::Text, lines, None), || {
        tracing::trace!(target: "server::charges", "ours");
        tracing::debug!(target: "hyper::client", "theirs");
        tracing::info!(target: "server_of_another", "theirs");
        tracing::warn!(target: "hyper::proto", "a warning");
    });
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(text.contains("ours") && text.contains("a warning"), "{text}");
    assert!(!text.contains("theirs"), "{text}");
}
