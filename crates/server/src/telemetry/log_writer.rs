//! The way of a line to standard error. A thread of its own writes, so that nobody else waits when the log's reader is
//! slow or stuck: lines that find no room are dropped and counted, and the log says so once it is read again.

use std::io::{self, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait: some seconds of a busy service.
const LINES_MAX: usize = 4_096;
/// How many bytes are written at once.
const BATCH_BYTES: usize = 64 * 1024;
/// How long the end of the process waits until its last lines are written.
const FLUSH_MAX: Duration = Duration::from_secs(1);

/// Lines that were dropped since the start, for `/metrics`.
pub(crate) static DROPPED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Where lines are put. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct LogWriter(SyncSender<Message>);

enum Message {
    Line(Vec<u8>),
    /// Answered once everything before it is written.
    Flush(SyncSender<()>),
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Message")
    }
}

impl LogWriter {
    /// Starts the thread that writes to `out`. `told` says how many lines were dropped, once lines are written again.
    pub(super) fn start<W: Write + Send + 'static>(out: W, told: fn(u64)) -> io::Result<Self> {
        let (sender, lines) = sync_channel(LINES_MAX);
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_all(out, &lines, told))?;
        Ok(Self(sender))
    }

    /// Waits until what was logged is written, and not for long.
    pub(super) fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.0.try_send(Message::Flush(done)).is_ok() {
            // Nobody reads: the lines are lost with the process.
            let _ = written.recv_timeout(FLUSH_MAX);
        }
    }
}

/// Lines that were dropped and not told yet.
static UNTOLD: AtomicU64 = AtomicU64::new(0);

/// One line, as `tracing` writes it.
impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Err(TrySendError::Full(_)) = self.0.try_send(Message::Line(line.to_vec())) {
            UNTOLD.fetch_add(1, Ordering::Relaxed);
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

fn write_all(mut out: impl Write, messages: &Receiver<Message>, told: fn(u64)) {
    let mut batch = Vec::with_capacity(BATCH_BYTES);
    while let Ok(first) = messages.recv() {
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
        // A log that cannot be written has nobody to be told.
        let _ = out.write_all(&batch);
        let _ = out.flush();
        batch.clear();
        for done in flushes {
            let _ = done.try_send(());
        }
        let dropped = UNTOLD.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            told(dropped);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Takes a batch when the test lets it.
    struct Slow(Receiver<()>, Sender<usize>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            let _ = self.1.send(bytes.split(|byte| *byte == b'\n').count() - 1);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_find_no_room_are_dropped_and_nobody_waits() {
        let (go, wait) = channel();
        let (count, written) = channel();
        let line = b"a line\n";
        // What may wait, what the thread may have taken already, and as much again.
        let all = 2 * (LINES_MAX + BATCH_BYTES.div_ceil(line.len()));
        let before = DROPPED.get();
        let mut log = LogWriter::start(Slow(wait, count), |_| ()).unwrap();
        for _ in 0..all {
            log.write_all(line).unwrap();
        }
        let dropped = usize::try_from(DROPPED.get() - before).unwrap();
        assert!(dropped >= all / 2, "{dropped} of {all}");
        drop(go);
        let mut lines = 0;
        while lines < all - dropped {
            lines += written.recv().unwrap();
        }
        assert_eq!(lines + dropped, all);
    }
}
