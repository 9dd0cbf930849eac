//! Runs the real binary as a process.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::Path;
use std::process::{ChildStderr, Command, Output, Stdio};
use std::sync::LazyLock;

use harness::process::CardformProcess;
use tempfile::TempDir;

/// A running `cardform`; killed when it is dropped.
pub(crate) struct Process(CardformProcess);

impl Deref for Process {
    type Target = CardformProcess;

    fn deref(&self) -> &CardformProcess {
        &self.0
    }
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

/// Creates the folder's database and adds a merchant to it. The database is migrated once for all tests.
pub(crate) fn add_merchant(dir: &Path) -> Output {
    static MIGRATED: LazyLock<TempDir> = LazyLock::new(|| {
        let dir = tempfile::tempdir().unwrap();
        assert!(run(dir.path(), &["migrate"]).status.success());
        dir
    });
    std::fs::copy(MIGRATED.path().join("cardform.db"), dir.join("cardform.db")).unwrap();
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

    /// The same, on a system without root certificates.
    pub(crate) fn start_without_root_certificates(dir: &Path, arguments: &[&str]) -> Self {
        Self::start_after(
            dir,
            arguments,
            "export SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/nowhere",
        )
    }

    fn start_after(dir: &Path, arguments: &[&str], script: &str) -> Self {
        let mut command = Command::new("/bin/sh");
        command.current_dir(dir).env_clear().stdin(Stdio::null());
        command.args(["-c", &format!("{script}; exec \"$0\" \"$@\"")]);
        command.arg(env!("CARGO_BIN_EXE_cardform")).args(arguments);
        Self::spawn(command, dir, "info")
    }

    /// Starts it like `start`, with a log into a pipe that only the test can read.
    pub(crate) fn start_with_unread_log(dir: &Path, arguments: &[&str]) -> Self {
        let mut command = cardform(dir);
        command.args(arguments);
        Self::spawn_with(command, "info", Stdio::piped())
    }

    /// The pipe of the log.
    pub(crate) fn log(&mut self) -> ChildStderr {
        self.0.log().unwrap()
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
        // No test of a process needs a page that is rendered here, except those that say so.
        command.env("CARDFORM_RENDER_TIME_MS", "0");
        command.env("RUST_LOG", log).stderr(stderr);
        Self(CardformProcess::start(command).unwrap())
    }

    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }

    /// Sends SIGTERM and waits. Returns whether it succeeded, and the rest of its output.
    pub(crate) fn terminate(self) -> (bool, String) {
        self.ask_to_end();
        let (status, rest) = self.0.wait().unwrap();
        (status.success(), rest)
    }

    /// SIGKILL.
    pub(crate) fn kill(self) {
        self.0.kill();
    }
}
