//! A file with a key in it that others on this machine can read, or put another key into.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Everybody may do something with it. A group may read: mounted secrets often belong to one of their own.
const OF_EVERYBODY: u32 = 0o007;
/// The group may put another key there.
const GROUP_WRITES: u32 = 0o020;

/// A file with a key in it that too many can read or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenKeyFile {
    /// The setting that names it.
    pub setting: &'static str,
    /// The file.
    pub file: PathBuf,
    /// Its permissions, as `chmod` takes them.
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

/// The file, when others can read it, or put another key there.
pub(crate) fn too_open(setting: &'static str, file: &Path) -> Option<OpenKeyFile> {
    let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
    (mode & (OF_EVERYBODY | GROUP_WRITES) != 0).then(|| OpenKeyFile {
        setting,
        file: file.to_owned(),
        mode,
    })
}
