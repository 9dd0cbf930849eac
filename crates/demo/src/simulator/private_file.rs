//! Makes the simulator's files readable for their owner only: they say who paid what, and a challenge's token can
//! approve a payment.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

const OWNER_ALONE: u32 = 0o600;

/// Opens a file to append to it; creates it if it is missing. If others can access it, as files of earlier versions,
/// its permissions are corrected.
pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).mode(OWNER_ALONE).open(path)?;
    if file.metadata()?.permissions().mode() & 0o777 & !OWNER_ALONE != 0 {
        file.set_permissions(Permissions::from_mode(OWNER_ALONE))?;
    }
    Ok(file)
}

/// Replaces the content of a file in one step.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let next = path.with_extension("next");
    // A file left from an earlier try may be longer, or readable for others.
    match std::fs::remove_file(&next) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other?,
    }
    open_to_append(&next)?.write_all(text.as_bytes())?;
    std::fs::rename(next, path)
}
