//! Why a command of `cargo xtask` ended early, in one line.

use std::path::PathBuf;
use std::process::ExitStatus;

use thiserror::Error;

/// Why a command ended early. The text is shown after `error: `.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// A program is missing.
    #[error("{what} is missing: {remedy}")]
    Missing { what: &'static str, remedy: String },
    /// A program could not be started.
    #[error("`{command}` could not be started: {cause}")]
    Start { command: String, cause: std::io::Error },
    /// A program failed; its own output is above.
    #[error("`{command}` failed ({status})")]
    Status { command: String, status: ExitStatus },
    /// A file could not be read or written.
    #[error("{path}: {cause}", path = path.display())]
    File { path: PathBuf, cause: std::io::Error },
    /// A file or an answer has a wrong content.
    #[error("{what}: {problem}")]
    Unusable { what: String, problem: String },
    /// Something is larger or slower than its budget (docs/budgets.md).
    #[error("over budget: {0}")]
    OverBudget(String),
    /// Measurements failed; the table has the reasons.
    #[error("not measured: {0}")]
    Unmeasured(String),
    /// Checks found something; the findings are above.
    #[error("{0}")]
    Findings(String),
    /// Tests failed or could not be run; the summary is above.
    #[error("not every test passed")]
    Tests,
    /// The command line is not understood.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// A failure with this text, unless the condition holds.
    pub(crate) fn unless(holds: bool, what: impl FnOnce() -> String) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(Self::Findings(what()))
        }
    }

    /// A missing program, and how to install it.
    pub(crate) fn missing(what: &'static str, remedy: impl Into<String>) -> Self {
        let remedy = remedy.into();
        Self::Missing { what, remedy }
    }

    /// A file or an answer with a wrong content.
    pub(crate) fn unusable(what: impl Into<String>, problem: impl Into<String>) -> Self {
        let (what, problem) = (what.into(), problem.into());
        Self::Unusable { what, problem }
    }

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
