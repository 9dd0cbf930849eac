//! The options for logging that every command has.

/// The options for logging.
#[derive(Debug, Clone, clap::Args)]
pub struct Logging {
    /// The level of the log: error, warn, info, debug, trace.
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = "RUST_LOG",
        default_value = "info"
    )]
    pub log: String,
    /// The format of the log.
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        env = "CARDFORM_LOG_FORMAT",
        default_value = "text"
    )]
    pub log_format: LogFormat,
}

/// How a line of the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// One line of text, for people.
    Text,
    /// One JSON object per line, for programs: `timestamp`, `level`, `target`, the event's fields, and the request in `span`.
    Json,
}
