use std::sync::mpsc::{Sender, channel};

use super::*;

/// Writes a batch only when the test allows it.
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
fn a_full_log_drops_lines_and_delays_no_task() {
    let (go, wait) = channel();
    let (count, written) = channel();
    let line = b"a line\n";
    // All lines that may wait, those that the thread may have taken already, and as many again.
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
