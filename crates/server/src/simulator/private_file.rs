//! The simulator's files are readable by their owner alone: they say who paid what, and a challenge's token decides it.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

const OWNER_ALONE: u32 = 0o600;

/// Opens a file to write at its end, and makes it when it is missing. One that others can read, as builds before have left
/// it, is put right.
pub(super) fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).mode(OWNER_ALONE).open(path)?;
    if file.metadata()?.permissions().mode() & 0o777 & !OWNER_ALONE != 0 {
        file.set_permissions(Permissions::from_mode(OWNER_ALONE))?;
    }
    Ok(file)
}

/// Puts another text in the place of a file's, all of it or nothing.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let next = path.with_extension("next");
    // One from before may be longer, or open to others.
    match std::fs::remove_file(&next) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other?,
    }
    open_to_append(&next)?.write_all(text.as_bytes())?;
    std::fs::rename(next, path)
}
