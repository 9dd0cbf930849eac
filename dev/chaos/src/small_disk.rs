//! A disk of a few megabytes in a file, which can be filled, whose files can be made read-only, and which can hang. Only root
//! can have one.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use harness::companion::run;

/// A mounted disk; unmounted when it is dropped.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    /// Where it is mounted.
    pub(crate) folder: PathBuf,
}

impl SmallDisk {
    /// Makes a disk of this size, and mounts it in `dir`.
    pub(crate) fn mount(dir: &Path, megabytes: u64) -> Result<Self> {
        let image = dir.join("disk.img");
        File::create(&image)?.set_len(megabytes * 1_048_576)?;
        run(&format!("mkfs.ext4 -q -m 0 {}", image.display()))?;
        let folder = dir.join("disk");
        std::fs::create_dir(&folder)?;
        run(&format!("mount -o loop {} {}", image.display(), folder.display()))?;
        Ok(Self { folder })
    }

    /// Blocks all writes to it, and to a disk whose file is on it, until the returned value is dropped.
    pub(crate) fn freeze(&self) -> Result<FrozenDisk<'_>> {
        run(&format!("fsfreeze --freeze {}", self.folder.display()))?;
        Ok(FrozenDisk(self))
    }

    /// Fills it to the last byte.
    pub(crate) fn fill(&self) -> Result<()> {
        let mut ballast = File::create(self.ballast())?;
        for piece in [vec![b'x'; 1_048_576], vec![b'x'; 4_096]] {
            while ballast
                .write_all(&piece)
                .and_then(|()| ballast.sync_data())
                .is_ok()
            {}
        }
        Ok(())
    }

    /// Makes room again.
    pub(crate) fn empty(&self) -> Result<()> {
        Ok(std::fs::remove_file(self.ballast())?)
    }

    /// Makes these files immutable, also for processes that have them open, or writable again.
    pub(crate) fn set_immutable(&self, names: &[&str], immutable: bool) -> Result<()> {
        let flag = if immutable { "+i" } else { "-i" };
        for name in names {
            run(&format!("chattr {flag} {}", self.folder.join(name).display()))?;
        }
        Ok(())
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server may still have files open there.
        let _ = run(&format!("umount -l {}", self.folder.display()));
    }
}

/// A disk that hangs.
#[derive(Debug)]
pub(crate) struct FrozenDisk<'a>(&'a SmallDisk);

impl Drop for FrozenDisk<'_> {
    fn drop(&mut self) {
        let _ = run(&format!("fsfreeze --unfreeze {}", self.0.folder.display()));
    }
}
