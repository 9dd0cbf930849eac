//! What every command takes besides its own arguments: how much is logged.

/// What is logged, for every command.
#[derive(Debug, Clone, clap::Args)]
pub struct Logging {
    /// What is logged: error, warn, info, debug, trace.
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = "RUST_LOG",
        hide_env_values = true,
        default_value = "info"
    )]
    pub log: String,
}
