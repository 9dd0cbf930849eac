//! A disk of a few megabytes in a file, which can be filled, whose files can be made read-only, and which can hang. Only root
//! can have one.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use harness::TrialError;

/// A mounted disk; unmounted when it is dropped.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    /// Where it is mounted.
    pub(crate) folder: PathBuf,
}

impl SmallDisk {
    /// Makes one of so many megabytes, and mounts it in `dir`.
    pub(crate) fn mount(dir: &Path, megabytes: u64) -> Result<Self, TrialError> {
        let failed = |cause| TrialError::Start("a small disk".to_owned(), cause);
        let image = dir.join("disk.img");
        let file = File::create(&image).map_err(failed)?;
        file.set_len(megabytes * 1_048_576).map_err(failed)?;
        run(
            "mkfs.ext4",
            &["-q".as_ref(), "-m".as_ref(), "0".as_ref(), image.as_ref()],
        )?;
        let folder = dir.join("disk");
        std::fs::create_dir(&folder).map_err(failed)?;
        run(
            "mount",
            &["-o".as_ref(), "loop".as_ref(), image.as_ref(), folder.as_ref()],
        )?;
        Ok(Self { folder })
    }

    /// Lets everything that is written to it wait until this is dropped; likewise a disk whose file is on it.
    pub(crate) fn freeze(&self) -> Result<FrozenDisk<'_>, TrialError> {
        run("fsfreeze", &["--freeze".as_ref(), self.folder.as_ref()])?;
        Ok(FrozenDisk(self))
    }

    /// Fills it to the last byte.
    pub(crate) fn fill(&self) -> Result<(), TrialError> {
        let failed = |cause| TrialError::Start("a full disk".to_owned(), cause);
        let mut ballast = File::create(self.ballast()).map_err(failed)?;
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
    pub(crate) fn empty(&self) -> Result<(), TrialError> {
        std::fs::remove_file(self.ballast())
            .map_err(|cause| TrialError::Start("an empty disk".to_owned(), cause))
    }

    /// Makes these files immutable, also for who has them open, or writable again.
    pub(crate) fn set_immutable(&self, names: &[&str], immutable: bool) -> Result<(), TrialError> {
        let flag = if immutable { "+i" } else { "-i" };
        for name in names {
            run("chattr", &[flag.as_ref(), self.folder.join(name).as_ref()])?;
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
        let _ = Command::new("umount").arg("-l").arg(&self.folder).status();
    }
}

/// A disk that hangs.
#[derive(Debug)]
pub(crate) struct FrozenDisk<'a>(&'a SmallDisk);

impl Drop for FrozenDisk<'_> {
    fn drop(&mut self) {
        let _ = run("fsfreeze", &["--unfreeze".as_ref(), self.0.folder.as_ref()]);
    }
}

fn run(program: &str, arguments: &[&std::ffi::OsStr]) -> Result<(), TrialError> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| TrialError::Start(program.to_owned(), cause))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(TrialError::NotReady(program.to_owned(), said))
}
