//! The first line that a started process prints, which says that it is ready.

use std::io::{BufRead, BufReader};
use std::process::ChildStdout;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};

/// How long a process may take until it is ready, on a busy machine.
pub(crate) const READY_WITHIN: Duration = Duration::from_secs(60);

/// Waits for the line, which is empty if the process ends without one. Returns the output, too, because the process may print
/// more. If no line comes in time, the caller must end the process, so that the reading thread ends.
pub(crate) fn first_line(output: ChildStdout, limit: Duration) -> Result<(String, ChildStdout)> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = String::new();
        let read = reader.read_line(&mut line).map(|_| line);
        // The receiver is gone if the line came too late.
        let _ = sender.send(read.map(|line| (line, reader.into_inner())));
    });
    let read = receiver.recv_timeout(limit);
    Ok(read.with_context(|| format!("no output for {} s", limit.as_secs()))??)
}

#[cfg(test)]
mod tests;
