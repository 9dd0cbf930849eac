//! The first line that a started process prints, which says that it is ready.

use std::io::{BufRead, BufReader};
use std::process::ChildStdout;
use std::sync::mpsc;
use std::time::Duration;

use crate::TrialError;

/// How long a process may take until it is ready, on a busy machine.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// Waits for the line; it is empty if the process ends without one. The output is returned, so that the process can print
/// more. If no line comes in time, the caller must end the process, which also ends the thread that reads.
pub(crate) fn first_line(name: &str, output: ChildStdout) -> Result<(String, ChildStdout), TrialError> {
    first_line_within(name, output, READY_WITHIN)
}

fn first_line_within(
    name: &str,
    output: ChildStdout,
    limit: Duration,
) -> Result<(String, ChildStdout), TrialError> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = String::new();
        let read = reader.read_line(&mut line).map(|_| line);
        // Nobody waits any more if it took too long.
        let _ = sender.send(read.map(|line| (line, reader.into_inner())));
    });
    match receiver.recv_timeout(limit) {
        Ok(read) => read.map_err(|cause| TrialError::Start(name.to_owned(), cause)),
        Err(_) => Err(TrialError::NotReady(
            name.to_owned(),
            format!("it has said nothing for {} s", limit.as_secs()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn first_line_of(script: &str, limit: Duration) -> Result<String, TrialError> {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let read = first_line_within("a program", child.stdout.take().unwrap(), limit);
        drop(child.stdin.take());
        child.wait().unwrap();
        Ok(read?.0)
    }

    #[test]
    fn a_line_and_the_end_of_a_process_are_read() {
        let read = |script| first_line_of(script, READY_WITHIN).unwrap();
        assert_eq!(read("echo ready; cat"), "ready\n");
        assert_eq!(read("exit 1"), "");
    }

    #[test]
    fn a_process_that_says_nothing_is_named() {
        // It waits for the end of its input, which comes after the limit.
        let read = first_line_of("cat", Duration::from_millis(50));
        assert!(matches!(read, Err(TrialError::NotReady(name, _)) if name == "a program"));
    }
}
