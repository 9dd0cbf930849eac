//! `ops/install.sh`, which installs from a folder.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Output;

use super::*;

/// A user without rights.
const NOBODY: u32 = 65_534;
/// The programs that the installer starts, besides `minisign`.
const TOOLS: [&str; 15] = [
    "sh",
    "uname",
    "mktemp",
    "cp",
    "rm",
    "sed",
    "grep",
    "sha256sum",
    "tar",
    "gzip",
    "chmod",
    "mv",
    "cat",
    "echo",
    "true",
];

/// A folder of programs that comes first on the PATH, or is all of it.
struct Programs {
    dir: TempDir,
    alone: bool,
}

impl Programs {
    fn first(name: &str, script: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        write(&path, &format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { dir, alone: false }
    }

    fn alone() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in TOOLS {
            if let Some(program) = process::on_path(name) {
                symlink(program, dir.path().join(name)).unwrap();
            }
        }
        Self { dir, alone: true }
    }

    fn path(&self) -> std::ffi::OsString {
        let usual = process::environment("PATH").unwrap_or_default();
        let usual = std::env::split_paths(&usual).filter(|_| !self.alone);
        std::env::join_paths(std::iter::once(self.dir.path().to_path_buf()).chain(usual)).unwrap()
    }
}

fn installer(from: &Path, to: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg(crate::root().join("ops/install.sh"));
    command.arg("--from").arg(from).arg("--to").arg(to);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The only error line of a failed installation into an empty folder, which is still empty.
fn refused(command: &mut Command, to: &Path) -> String {
    let output = process::capture(command).unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(text(&output.stdout), "");
    if to.exists() {
        assert_eq!(files_of(to), BTreeMap::new());
    }
    let said = text(&output.stderr);
    let mut lines = said
        .lines()
        .filter(|line| !line.starts_with("the signature was not checked"));
    let line = lines
        .next()
        .and_then(|line| line.strip_prefix("error: "))
        .map(str::to_owned);
    assert_eq!(lines.next(), None, "{said}");
    line.unwrap_or_else(|| panic!("{said}"))
}

fn succeeded(command: &mut Command) -> Output {
    let output = process::capture(command).unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

#[test]
fn the_program_is_installed_and_the_next_command_is_named() {
    let (folder, to) = (release(None), tempfile::tempdir().unwrap());
    let program = to.path().join("cardform");
    // The second time it replaces a file.
    for _ in 0..2 {
        let output = succeeded(&mut installer(folder.path(), to.path()));
        let said = text(&output.stdout);
        let to = to.path().display();
        assert_eq!(
            said,
            format!(
                "installed {to}/cardform\n{to} is not in PATH: add it\n\
                 next, in an empty folder: cardform init && cardform serve\n"
            )
        );
        assert_eq!(
            text(&output.stderr),
            "the signature was not checked: --public-key names the key\n"
        );
        let mode = program.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((files_of(program.parent().unwrap()).len(), mode), (1, 0o755));
        assert_eq!(read(&program).unwrap(), read(Path::new(PROGRAM)).unwrap());
        write(&program, "old").unwrap();
    }
}

#[test]
fn a_signature_is_checked_if_a_key_is_given() {
    let keys = KeyPair::generate_unencrypted_keypair().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let key = dir.path().join("cardform.pub");
    write(&key, &keys.pk.to_box().unwrap().into_string()).unwrap();
    let (signed, unsigned, to) = (
        release(Some(&keys.sk)),
        release(None),
        tempfile::tempdir().unwrap(),
    );
    let with_key = |from: &TempDir| {
        let mut command = installer(from.path(), to.path());
        command.arg("--public-key").arg(&key);
        command
    };

    let unsigned_path = unsigned.path().display();
    assert_eq!(
        refused(&mut with_key(&unsigned), to.path()),
        format!("{unsigned_path} has no SHA256SUMS.minisig")
    );
    let alone = Programs::alone();
    assert_eq!(
        refused(with_key(&signed).env("PATH", alone.path()), to.path()),
        "minisign is missing, which checks the signature: apt-get install minisign"
    );
    let mut command = installer(signed.path(), to.path());
    command.args(["--public-key", "none.pub"]);
    assert_eq!(refused(&mut command, to.path()), "there is no key none.pub");
    // Another release's sums, with the first one's signature.
    let signature = signed.path().join(sums::SIGNATURE);
    write(&unsigned.path().join(sums::FILE), "").unwrap();
    std::fs::copy(&signature, unsigned.path().join(sums::SIGNATURE)).unwrap();
    assert_eq!(
        refused(&mut with_key(&unsigned), to.path()),
        "SHA256SUMS.minisig is not this key's signature of SHA256SUMS"
    );
    let output = succeeded(&mut with_key(&signed));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_changed_or_missing_file_is_refused() {
    let (folder, to) = (release(None), tempfile::tempdir().unwrap());
    let name = format!("{}.tar.gz", tarball_name(Target::default()));
    let path = folder.path().join(&name);
    let mut command = installer(folder.path(), to.path());
    let mut bytes = read(&path).unwrap();
    let place = bytes.len() / 2;
    bytes[place] ^= 1;
    write(&path, &bytes).unwrap();
    assert_eq!(
        refused(&mut command, to.path()),
        format!("{name} differs from its sum in SHA256SUMS: download it again")
    );
    std::fs::remove_file(&path).unwrap();
    let from = folder.path().display();
    assert_eq!(refused(&mut command, to.path()), format!("{from} has no {name}"));
    std::fs::remove_file(folder.path().join(sums::FILE)).unwrap();
    assert_eq!(
        refused(&mut command, to.path()),
        format!("{from} has no SHA256SUMS")
    );
    assert_eq!(
        refused(
            &mut installer(Path::new("http://releases.example"), to.path()),
            to.path()
        ),
        "http://releases.example is neither a folder nor an https address"
    );
}

#[test]
fn another_machine_gets_one_clear_line() {
    let (folder, to) = (release(None), tempfile::tempdir().unwrap());
    let mut command = installer(folder.path(), to.path());
    let riscv = Programs::first("uname", "[ \"$1\" = -m ] && echo riscv64 || echo Linux");
    assert_eq!(
        refused(command.env("PATH", riscv.path()), to.path()),
        "this release has no cardform for riscv64"
    );
    let mac = Programs::first("uname", "echo Darwin");
    assert_eq!(
        refused(command.env("PATH", mac.path()), to.path()),
        "cardform runs on Linux, and this is Darwin"
    );
}

#[test]
fn a_program_that_does_not_start_is_not_installed() {
    let (dir, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let arm = TargetBinary::read(&program_for(elf::abi::EM_AARCH64, dir.path())).unwrap();
    let glibc = arm.glibc.clone().unwrap();
    let folder = release_of(&[arm], None);
    let claimed = Programs::first("uname", "[ \"$1\" = -m ] && echo aarch64 || echo Linux");
    let mut command = installer(folder.path(), to.path());
    assert_eq!(
        refused(command.env("PATH", claimed.path()), to.path()),
        format!("this cardform does not start here. Needs Linux on aarch64 and glibc {glibc} or newer.")
    );
}

#[test]
fn a_folder_that_is_missing_or_closed_is_named() {
    let (folder, dir) = (release(None), tempfile::tempdir().unwrap());
    let to = dir.path().join("bin");
    let shown = to.display();
    assert_eq!(
        refused(&mut installer(folder.path(), &to), &to),
        format!("there is no folder {shown}: make it, or name another one with --to")
    );
    std::fs::create_dir(&to).unwrap();
    let closed = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    closed(&to, 0o555);
    closed(dir.path(), 0o755);
    // The script's text as an argument: this user may have no access to the checkout.
    let script = std::fs::read_to_string(crate::root().join("ops/install.sh")).unwrap();
    let mut command = Command::new("sh");
    command.current_dir("/").arg("-c").arg(script).arg("install.sh");
    command.arg("--from").arg(folder.path()).arg("--to").arg(&to);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY);
    }
    assert_eq!(
        refused(&mut command, &to),
        format!("{shown} cannot be written: run this as root, or name another folder with --to")
    );
    closed(&to, 0o755);
}

#[test]
fn a_wrong_command_line_shows_the_right_one() {
    let to = tempfile::tempdir().unwrap();
    for words in [&[][..], &["--from"], &["--from", "a", "--other", "b"]] {
        let mut command = Command::new("sh");
        command.arg(crate::root().join("ops/install.sh")).args(words);
        assert_eq!(
            refused(&mut command, to.path()),
            "usage: install.sh --from FOLDER_OR_ADDRESS [--public-key FILE] [--to FOLDER]"
        );
    }
}
