//! Finds key files that other users of the machine can read, write or replace.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Any permission for everybody. The group may read, because mounted secrets often belong to a group of their own.
const OF_EVERYBODY: u32 = 0o007;
/// Permission for the group to write, and so to replace the key.
const GROUP_WRITES: u32 = 0o020;
/// Permission for everybody to write.
const EVERYBODY_WRITES: u32 = 0o002;
/// In a folder with this bit only the owner of a file can replace it.
const STICKY: u32 = 0o1000;

/// The superuser, who can read every file.
const ROOT: u32 = 0;

/// A key file that too many users can read or write, or a folder in which they can replace it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenKeyFile {
    /// The setting that names the file.
    pub setting: &'static str,
    /// The file or the folder.
    pub file: PathBuf,
    /// Its permissions, as in `chmod`.
    pub mode: u32,
    /// Its owner, if that is another user than root and the service's.
    pub owner: Option<u32>,
    /// What closes it.
    pub advice: &'static str,
}

/// One line for the operator.
impl std::fmt::Display for OpenKeyFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of the setting {} is open to others on this machine (",
            self.file.display(),
            self.setting,
        )?;
        match self.owner {
            Some(owner) => write!(f, "owner {owner}")?,
            None => write!(f, "mode {:o}", self.mode)?,
        }
        write!(f, "): {}", self.advice)
    }
}

/// The file, if others can read it or replace the key in it; or the first folder on its way in which others can replace it.
/// The owners are checked if `service_user`, the user that runs the service, is known.
pub fn too_open(setting: &'static str, file: &Path, service_user: Option<u32>) -> Option<OpenKeyFile> {
    let open = |path: &Path, is_open: fn(u32) -> bool, chmod| {
        let metadata = std::fs::metadata(path).ok()?;
        let mode = metadata.mode() & 0o7777;
        let is_foreign = |owner| service_user.is_some_and(|user| ![ROOT, user].contains(&owner));
        let owner = Some(metadata.uid()).filter(|owner| is_foreign(*owner));
        (owner.is_some() || is_open(mode)).then(|| OpenKeyFile {
            setting,
            file: path.to_owned(),
            mode,
            owner,
            advice: owner.map_or(chmod, |_| "chown it to root or to the service's user"),
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

#[cfg(test)]
mod tests;
