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
