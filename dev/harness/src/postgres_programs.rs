//! PostgreSQL's programs from Debian's packages, and the user they run as.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// Where Debian keeps each version's programs.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The user of the server if root starts it, because PostgreSQL refuses to run as root.
pub const USER: &str = "postgres";

/// The newest version's programs.
pub fn programs() -> Result<PathBuf> {
    let versions = std::fs::read_dir(VERSIONS).into_iter().flatten();
    versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|programs| programs.join("initdb").is_file())
        .max_by_key(|programs| version(programs))
        .context("PostgreSQL is not installed: on Debian `apt-get install postgresql-15`")
}

fn version(programs: &Path) -> Option<u32> {
    programs.parent()?.file_name()?.to_str()?.parse().ok()
}

/// Whether this process runs as root.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0)
}

/// Runs a program that refuses to run as root.
pub fn as_unprivileged_user() -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", USER, "--regid", USER, "--clear-groups", "--"]);
        command
    } else {
        Command::new("env")
    }
}
