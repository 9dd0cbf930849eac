//! Files with fixed times, owners and permissions, so that the same content gives the same archive.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flate2::{Compression, GzBuilder};

use crate::failure::Failure;

/// The time of every file in an archive: 1 January 2020, in seconds since 1970.
pub(super) const TIME: u64 = 1_577_836_800;

/// A file, or a folder if its path ends with `/`.
pub(super) struct Entry {
    path: String,
    mode: u32,
    bytes: Vec<u8>,
}

impl Entry {
    /// A file that everybody may read.
    pub(super) fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::with_mode(path, 0o644, bytes)
    }

    /// A file that everybody may run.
    pub(super) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::with_mode(path, 0o755, bytes)
    }

    /// A file, or a folder, with these permissions.
    pub(super) fn with_mode(path: impl Into<String>, mode: u32, bytes: impl Into<Vec<u8>>) -> Self {
        let (path, bytes) = (path.into(), bytes.into());
        Self { path, mode, bytes }
    }

    /// The same in this folder.
    pub(super) fn below(mut self, folder: &str) -> Self {
        self.path = format!("{folder}/{}", self.path);
        self
    }

    /// Writes it below `folder`. New folders on the way get the permissions 755.
    pub(super) fn lay_out(&self, folder: &Path) -> Result<(), Failure> {
        let mut parent = folder.to_path_buf();
        let (parents, name) = self
            .path
            .trim_end_matches('/')
            .rsplit_once('/')
            .unwrap_or(("", &self.path));
        for part in parents.split('/').filter(|part| !part.is_empty()) {
            parent.push(part);
            if !parent.exists() {
                make_folder(&parent, 0o755)?;
            }
        }
        let path = parent.join(name);
        if self.path.ends_with('/') {
            return make_folder(&path, self.mode);
        }
        write(&path, &self.bytes)?;
        set_mode(&path, self.mode)
    }
}

/// Writes a compressed archive with these entries, in their order.
pub(super) fn tar_gz(to: &Path, entries: &[Entry]) -> Result<(), Failure> {
    let file = std::fs::File::create(to).map_err(Failure::file(to))?;
    let mut archive = tar::Builder::new(GzBuilder::new().write(file, Compression::best()));
    for entry in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode);
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        let appended = archive.append_data(&mut header, &entry.path, entry.bytes.as_slice());
        appended.map_err(Failure::file(to))?;
    }
    let finished = archive.into_inner().and_then(flate2::write::GzEncoder::finish);
    finished.map(drop).map_err(Failure::file(to))
}

/// The content of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(Failure::file(path))
}

/// Writes a file.
pub(super) fn write(path: &Path, content: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), Failure> {
    std::fs::write(path, content).map_err(Failure::file(path))
}

fn make_folder(path: &Path, mode: u32) -> Result<(), Failure> {
    std::fs::create_dir(path).map_err(Failure::file(path))?;
    set_mode(path, mode)
}

/// The user's umask has no influence.
fn set_mode(path: &Path, mode: u32) -> Result<(), Failure> {
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(path, permissions).map_err(Failure::file(path))
}
