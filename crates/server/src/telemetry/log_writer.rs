//! Writes the log to standard error in a thread of its own, so that no task waits for a slow or stuck reader of the log.
//! If too many lines wait, more lines are dropped and counted. The log reports them when it is read again.

use std::io::{self, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tracing_subscriber::fmt::MakeWriter;

/// How many lines may wait: some seconds of a busy service.
const LINES_MAX: usize = 4_096;
/// How many bytes are written at once.
const BATCH_BYTES: usize = 64 * 1024;
/// How long the thread waits for more lines before it writes the first: waking it for each line would cost a busy
/// service a quarter of its processor time.
const COLLECTED_FOR: Duration = Duration::from_millis(5);
/// How long the end of the process waits for its last lines.
const FLUSH_MAX: Duration = Duration::from_secs(1);

/// How many lines were dropped since the start, for `/metrics`.
pub(crate) static DROPPED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Takes lines for the thread. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct LogWriter(SyncSender<Message>);

enum Message {
    Line(Vec<u8>),
    /// Answered when all earlier lines are written.
    Flush(SyncSender<()>),
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Message")
    }
}

impl LogWriter {
    /// Starts the thread that writes to `out`. `report_dropped` gets the number of dropped lines, as soon as lines are
    /// written again.
    pub(super) fn start<W: Write + Send + 'static>(out: W, report_dropped: fn(u64)) -> io::Result<Self> {
        let (sender, lines) = sync_channel(LINES_MAX);
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_all(out, &lines, report_dropped))?;
        Ok(Self(sender))
    }

    /// Waits until all earlier lines are written, for at most [`FLUSH_MAX`].
    pub(super) fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.0.try_send(Message::Flush(done)).is_ok() {
            // If no program reads the log, the lines are lost with the process.
            let _ = written.recv_timeout(FLUSH_MAX);
        }
    }
}

/// How many dropped lines the log has not reported yet.
static UNREPORTED: AtomicU64 = AtomicU64::new(0);

/// Takes one line, as `tracing` writes it.
impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Err(TrySendError::Full(_)) = self.0.try_send(Message::Line(line.to_vec())) {
            UNREPORTED.fetch_add(1, Ordering::Relaxed);
            DROPPED.inc();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn write_all(mut out: impl Write, messages: &Receiver<Message>, report_dropped: fn(u64)) {
    let mut batch = Vec::with_capacity(BATCH_BYTES);
    while let Ok(first) = messages.recv() {
        if matches!(first, Message::Line(_)) {
            std::thread::sleep(COLLECTED_FOR);
        }
        let mut flushes = Vec::new();
        let mut next = Some(first);
        while let Some(message) = next {
            match message {
                Message::Line(line) => batch.extend_from_slice(&line),
                Message::Flush(done) => flushes.push(done),
            }
            next = if batch.len() < BATCH_BYTES {
                messages.try_recv().ok()
            } else {
                None
            };
        }
        // If the log cannot be written, the failure cannot be reported.
        let _ = out.write_all(&batch);
        let _ = out.flush();
        batch.clear();
        for done in flushes {
            let _ = done.try_send(());
        }
        let dropped = UNREPORTED.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            report_dropped(dropped);
        }
    }
}

#[cfg(test)]
mod tests;
