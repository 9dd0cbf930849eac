//! The machines that a release is built for, and what a binary needs of one.

use std::path::{Path, PathBuf};
use std::process::Command;

use elf::ElfBytes;
use elf::endian::AnyEndian;

use super::archive::read;
use crate::failure::Failure;
use crate::{build, process};

/// A kind of machine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Rust's name.
    pub(super) triple: &'static str,
    /// What `uname -m` prints there.
    pub(super) machine: &'static str,
    /// Debian's name.
    pub(super) debian: &'static str,
    /// Homebrew's name.
    pub(super) homebrew: &'static str,
    /// The machine's number in an ELF file.
    elf: u16,
    /// The C compiler that makes code for it, on another machine.
    cross_compiler: &'static str,
}

const TARGETS: [Target; 2] = [
    Target {
        triple: "x86_64-unknown-linux-gnu",
        machine: "x86_64",
        debian: "amd64",
        homebrew: "intel",
        elf: elf::abi::EM_X86_64,
        cross_compiler: "x86_64-linux-gnu-gcc",
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        machine: "aarch64",
        debian: "arm64",
        homebrew: "arm",
        elf: elf::abi::EM_AARCH64,
        cross_compiler: "aarch64-linux-gnu-gcc",
    },
];

impl Target {
    /// The target with Rust's name for it.
    pub(super) fn named(triple: &str) -> Result<&'static Self, String> {
        let found = TARGETS.iter().find(|target| target.triple == triple);
        found.ok_or_else(|| format!("releases are for {} and {}", TARGETS[0].triple, TARGETS[1].triple))
    }

    /// The machine that most servers are.
    pub(super) fn default() -> &'static Self {
        &TARGETS[0]
    }

    fn is_this_machine(&self) -> bool {
        self.machine == std::env::consts::ARCH
    }

    /// Fails if the compiler lacks something for this target.
    pub(super) fn can_be_built(&self, root: &Path) -> Result<(), Failure> {
        if self.is_this_machine() {
            return Ok(());
        }
        let mut rustc = Command::new("rustc");
        rustc
            .current_dir(root)
            .args(["--print", "target-libdir", "--target", self.triple]);
        let folder = process::capture(&mut rustc)?;
        let folder = PathBuf::from(String::from_utf8_lossy(&folder.stdout).trim());
        if !folder.is_dir() {
            let remedy = format!("`rustup target add {}`", self.triple);
            return Err(Failure::missing(
                "the compiler's standard library for the target",
                remedy,
            ));
        }
        if process::on_path(self.cross_compiler).is_none() {
            let package = self.cross_compiler.trim_end_matches("-gcc").replace('_', "-");
            let remedy = format!(
                "on Debian `apt-get install gcc-{package}` for `{}`",
                self.cross_compiler
            );
            return Err(Failure::missing("the C compiler for the target", remedy));
        }
        Ok(())
    }

    /// Builds the page and the release binary if they have changed, and returns the binary's path.
    pub(super) fn build(&self, root: &Path) -> Result<PathBuf, Failure> {
        if self.is_this_machine() {
            return build::release(root);
        }
        build::release_for(root, self.triple, self.cross_compiler)
    }
}

/// A binary of the service, and what it needs.
#[derive(Debug)]
pub(super) struct TargetBinary {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) target: &'static Target,
    /// The oldest glibc that has all symbols of the binary; none for a static binary.
    pub(super) glibc: Option<String>,
}

impl TargetBinary {
    /// Reads the file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = read(path)?;
        let unusable = |problem: &str| Failure::unusable(path.display().to_string(), problem);
        let no_program = |_| unusable("it is no program for Linux");
        let elf = ElfBytes::<AnyEndian>::minimal_parse(&bytes).map_err(no_program)?;
        let target = TARGETS.iter().find(|target| target.elf == elf.ehdr.e_machine);
        let target = target.ok_or_else(|| unusable("it is for a kind of machine without releases"))?;
        let newest = newest_glibc(&elf).map_err(no_program)?;
        Ok(Self {
            path: path.to_owned(),
            glibc: newest.map(|(major, minor)| format!("{major}.{minor}")),
            target,
            bytes,
        })
    }
}

/// The highest version of glibc among the versions of the needed symbols.
fn newest_glibc(elf: &ElfBytes<'_, AnyEndian>) -> Result<Option<(u32, u32)>, elf::ParseError> {
    let (Some((symbols, _)), Some(versions)) = (elf.dynamic_symbol_table()?, elf.symbol_version_table()?)
    else {
        return Ok(None);
    };
    let mut newest = None;
    for index in 0..symbols.len() {
        let version = versions.get_requirement(index)?;
        newest = newest.max(version.and_then(|version| glibc_version(version.name)));
    }
    Ok(newest)
}

fn glibc_version(name: &str) -> Option<(u32, u32)> {
    let (major, minor) = name.strip_prefix("GLIBC_")?.split_once('.')?;
    // Some old versions have a third number.
    let minor = minor.split('.').next().unwrap_or(minor);
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests;
