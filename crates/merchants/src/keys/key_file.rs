//! Finds key files that other users of the machine can read, write or replace.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Any permission for everybody. The group may read, because mounted secrets often belong to a group of their own.
const OF_EVERYBODY: u32 = 0o007;
/// Permission for the group to write, and so to replace the key.
const GROUP_WRITES: u32 = 0o020;
/// Permission for everybody to write.
const EVERYBODY_WRITES: u32 = 0o002;
/// In a folder with this bit only the owner of a file can replace it.
const STICKY: u32 = 0o1000;

/// A key file that too many users can read or write, or a folder in which they can replace it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenKeyFile {
    /// The setting that names the file.
    pub setting: &'static str,
    /// The file or the folder.
    pub file: PathBuf,
    /// Its permissions, as in `chmod`.
    pub mode: u32,
    /// What closes it.
    pub advice: &'static str,
}

/// One line for the operator.
impl std::fmt::Display for OpenKeyFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of the setting {} is open to others on this machine (mode {:o}): {}",
            self.file.display(),
            self.setting,
            self.mode,
            self.advice
        )
    }
}

/// The file, if others can read it or replace the key in it; or the first folder on its way in which others can replace it.
pub fn too_open(setting: &'static str, file: &Path) -> Option<OpenKeyFile> {
    let open = |path: &Path, refused: fn(u32) -> bool, advice| {
        let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o7777;
        refused(mode).then(|| OpenKeyFile {
            setting,
            file: path.to_owned(),
            mode,
            advice,
        })
    };
    let file_is_open = |mode| mode & (OF_EVERYBODY | GROUP_WRITES) != 0;
    let folder_is_open = |mode| mode & (EVERYBODY_WRITES | GROUP_WRITES) != 0 && mode & STICKY == 0;
    // A link may be replaced as well as the file behind it.
    let ways = [std::path::absolute(file), file.canonicalize()];
    open(file, file_is_open, "chmod 600").or_else(|| {
        let folders = ways.iter().flatten().flat_map(|way| way.ancestors().skip(1));
        folders
            .into_iter()
            .find_map(|folder| open(folder, folder_is_open, "chmod go-w"))
    })
}
