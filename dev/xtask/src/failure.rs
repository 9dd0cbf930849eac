//! Why a command of `cargo xtask` ends early, in one line that a person can act on.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// Why a command ended early. The text is what is shown, after `error: `.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A program that must be there is not.
    Missing { what: &'static str, remedy: String },
    /// Node is there and too old for the tools of the page.
    NodeTooOld { found: String },
    /// A program could not be started.
    Start { command: String, cause: std::io::Error },
    /// A program ended with something other than success; its own output stands above.
    Status { command: String, status: ExitStatus },
    /// A program took longer than it may.
    TooLong { command: String, time_max: Duration },
    /// npm could not install; the line is the one of its output that says why.
    Npm { command: String, line: String },
    /// A file could not be read or written.
    File { path: PathBuf, cause: std::io::Error },
    /// A file or an answer is not what it must be.
    Unusable { what: String, problem: String },
    /// Something served is larger than its budget (docs/budgets.md#sizes).
    OverBudget(String),
    /// Something could not be measured; why stands in the table.
    Unmeasured(String),
    /// The checks found something; each finding stands above on its own line.
    Findings(String),
    /// Tests failed or could not be run; the summary stands above.
    Tests,
    /// The command line is not understood.
    Usage(String),
}

// Written here: the crate that derives it takes longer to build than the rest of this program.
impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { what, remedy } => write!(f, "{what} is missing: {remedy}"),
            Self::NodeTooOld { found } => write!(
                f,
                "Node {found} is too old: install Node 20.19 or newer, or 22.12 or newer (https://nodejs.org)"
            ),
            Self::Start { command, cause } => write!(f, "`{command}` could not be started: {cause}"),
            Self::Status { command, status } => write!(f, "`{command}` failed ({status})"),
            Self::TooLong { command, time_max } => {
                write!(f, "`{command}` took longer than {time_max:?} and was ended")
            }
            Self::Npm { command, line } => write!(f, "`{command}` failed: {line}"),
            Self::File { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Unusable { what, problem } => write!(f, "{what}: {problem}"),
            Self::Unmeasured(what) => write!(f, "not measured: {what}"),
            Self::OverBudget(what) => write!(f, "over budget: {what}"),
            Self::Findings(count) => write!(f, "{count} to be put right"),
            Self::Tests => write!(f, "not every test passed"),
            Self::Usage(text) => write!(f, "{text}"),
        }
    }
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
