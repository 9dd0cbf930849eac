//! Finds key files that other users of the machine can read or write.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Any permission for everybody. The group may read, because mounted secrets often belong to a group of their own.
const OF_EVERYBODY: u32 = 0o007;
/// Permission for the group to write, and so to replace the key.
const GROUP_WRITES: u32 = 0o020;

/// A key file that too many users can read or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenKeyFile {
    /// The setting that names the file.
    pub setting: &'static str,
    /// The file.
    pub file: PathBuf,
    /// Its permissions, as in `chmod`.
    pub mode: u32,
}

/// One line for the operator.
impl std::fmt::Display for OpenKeyFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of the setting {} is open to others on this machine (mode {:o}): chmod 600",
            self.file.display(),
            self.setting,
            self.mode
        )
    }
}

/// The file, if others can read it, or replace the key in it.
pub fn too_open(setting: &'static str, file: &Path) -> Option<OpenKeyFile> {
    let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
    (mode & (OF_EVERYBODY | GROUP_WRITES) != 0).then(|| OpenKeyFile {
        setting,
        file: file.to_owned(),
        mode,
    })
}
