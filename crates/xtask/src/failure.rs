//! Why a command of `cargo xtask` ends early, in one line that a person can act on.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// Why a command ended early. The text is what is shown, after `error: `.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A program that must be there is not.
    #[error("{what} is missing: {remedy}")]
    Missing { what: &'static str, remedy: String },
    /// Node is there and too old for the tools of the page.
    #[error("Node {found} is too old: install Node 20.19 or newer, or 22.12 or newer (https://nodejs.org)")]
    NodeTooOld { found: String },
    /// A program could not be started.
    #[error("`{command}` could not be started: {cause}")]
    Start { command: String, cause: std::io::Error },
    /// A program ended with something other than success; its own output stands above.
    #[error("`{command}` failed ({status})")]
    Status { command: String, status: ExitStatus },
    /// A program took longer than it may.
    #[error("`{command}` took longer than {time_max:?} and was ended")]
    TooLong { command: String, time_max: Duration },
    /// npm could not install; the line is the one of its output that says why.
    #[error("`{command}` failed: {line}")]
    Npm { command: String, line: String },
    /// A file could not be read or written.
    #[error("{}: {cause}", path.display())]
    File { path: PathBuf, cause: std::io::Error },
    /// A file or an answer is not what it must be.
    #[error("{what}: {problem}")]
    Unusable { what: String, problem: String },
    /// Something served is larger than its budget (docs/budgets.md#sizes).
    #[error("over budget: {0}")]
    OverBudget(String),
    /// The checks found something; each finding stands above on its own line.
    #[error("{0} to be put right")]
    Findings(String),
    /// Tests failed or could not be run; the summary stands above.
    #[error("not every test passed")]
    Tests,
    /// The command line is not understood.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// A failure of the file at `path`, for `map_err`.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |cause| Self::File { path, cause }
    }

    /// 2 for a command line that is not understood, 1 for everything else.
    pub(crate) fn exit_code(&self) -> u8 {
        if matches!(self, Self::Usage(_)) { 2 } else { 1 }
    }
}
