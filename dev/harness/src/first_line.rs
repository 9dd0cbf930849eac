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
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn first_line_of(script: &str, limit: Duration) -> Result<String> {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let read = first_line(child.stdout.take().unwrap(), limit);
        drop(child.stdin.take());
        child.wait()?;
        Ok(read?.0)
    }

    #[test]
    fn a_line_and_the_end_of_a_process_are_read() {
        let read = |script| first_line_of(script, READY_WITHIN).unwrap();
        assert_eq!(read("echo ready; cat"), "ready\n");
        assert_eq!(read("exit 1"), "");
    }

    #[test]
    fn a_process_without_output_is_an_error() {
        // `cat` waits for the end of its input, which comes after the limit.
        assert!(first_line_of("cat", Duration::from_millis(50)).is_err());
    }
}
