//! Runs the real binary as a process.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use crate::waiting::{ended, said};
use serde_json::Value;

/// A running `cardform`; killed when it is dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) ready: Value,
}

/// `CARDFORM_TEST_BINARY` names another build of the binary, like the release build, whose optimisation could leave out
/// the zeroing of memory.
#[expect(
    clippy::disallowed_methods,
    reason = "which binary is the tests' own setting, not the service's"
)]
pub(crate) fn binary() -> OsString {
    std::env::var_os("CARDFORM_TEST_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_cardform").into())
}

pub(crate) fn cardform(dir: &Path) -> Command {
    let mut command = Command::new(binary());
    command.current_dir(dir).env_clear().stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub(crate) fn run(dir: &Path, arguments: &[&str]) -> Output {
    cardform(dir).args(arguments).output().unwrap()
}

/// Creates the folder's database and adds a merchant to it.
pub(crate) fn add_merchant(dir: &Path) -> Output {
    assert!(run(dir, &["migrate"]).status.success());
    run(dir, &["merchant", "add", "--name", "Shop", "--json"])
}

/// The error of a failed command: one line.
pub(crate) fn complaint(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

impl Process {
    /// Starts with `--json` and waits for the line that says it is ready. Standard error goes to `cardform.log`.
    pub(crate) fn start(dir: &Path, arguments: &[&str], log: &str) -> Self {
        let mut command = cardform(dir);
        command.args(arguments);
        Self::spawn(command, dir, log)
    }

    /// The same, with a limit of file descriptors that it cannot raise.
    pub(crate) fn start_with_descriptors(dir: &Path, arguments: &[&str], descriptors: u32) -> Self {
        Self::start_after(dir, arguments, &format!("ulimit -n {descriptors}"))
    }

    /// The same, with a limit that it can raise.
    pub(crate) fn start_with_soft_limit(dir: &Path, arguments: &[&str], descriptors: u32) -> Self {
        Self::start_after(dir, arguments, &format!("ulimit -S -n {descriptors}"))
    }

    fn start_after(dir: &Path, arguments: &[&str], limit: &str) -> Self {
        let mut command = Command::new("/bin/sh");
        command.current_dir(dir).env_clear().stdin(Stdio::null());
        command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]);
        command.arg(env!("CARGO_BIN_EXE_cardform")).args(arguments);
        Self::spawn(command, dir, "info")
    }

    /// The same, with a log into a pipe that nobody reads, unless the test does.
    pub(crate) fn start_with_unread_log(dir: &Path, arguments: &[&str]) -> Self {
        let mut command = cardform(dir);
        command.args(arguments);
        Self::spawn_with(command, "info", Stdio::piped())
    }

    /// The pipe of the log.
    pub(crate) fn log(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }

    fn spawn(command: Command, dir: &Path, log: &str) -> Self {
        let stderr = std::fs::File::options()
            .create(true)
            .append(true)
            .open(dir.join("cardform.log"))
            .unwrap();
        Self::spawn_with(command, log, stderr.into())
    }

    fn spawn_with(mut command: Command, log: &str, stderr: Stdio) -> Self {
        let mut child = command
            .arg("--json")
            .env("RUST_LOG", log)
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let id = child.id();
        let mut out = BufReader::new(child.stdout.as_mut().unwrap());
        said(id, || out.read_line(&mut line)).unwrap();
        let ready = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        Self { child, ready }
    }

    pub(crate) fn url(&self) -> &str {
        self.ready["listening"].as_str().unwrap()
    }

    /// The process's id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM and waits. Returns whether it succeeded, and the rest of its output.
    pub(crate) fn terminate(mut self) -> (bool, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").arg(&id).status().unwrap().success());
        let ended = ended("the service after SIGTERM", &mut self.child);
        let mut rest = String::new();
        self.child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut rest)
            .unwrap();
        (ended.success(), rest)
    }

    /// SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
