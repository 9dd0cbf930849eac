//! Starts other programs, and reports their failures in one line.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use crate::failure::Failure;

/// A variable of the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "xtask is a command of the shell: PATH, CARGO and CI reach it only this way"
)]
pub(crate) fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// `cargo`, the one that runs this xtask, in the repository at `root`.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(environment("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// A program that npm has installed for the repository at `root`.
pub(crate) fn installed(root: &Path, name: &str) -> Command {
    let mut command = Command::new(root.join("node_modules/.bin").join(name));
    command.current_dir(root);
    command
}

/// The path of cargo's target folder: this program runs from `<target>/debug/xtask`.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|program| Some(program.parent()?.parent()?.to_path_buf()))
        .unwrap_or_else(|| root.join("target"))
}

/// The file that the shell would start for `name`.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = environment("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

/// Runs a program to its end. Both its outputs go to standard error, because standard output has only the command's own
/// results.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let status = status(command)?;
    expect_success(command, status)
}

/// As [`run`], and returns the status of success or failure.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, Failure> {
    command.stdin(Stdio::null()).stdout(std::io::stderr());
    command.status().map_err(start(command))
}

/// As [`run`], but the program's outputs are shown only if it fails.
pub(crate) fn run_quietly(command: &mut Command) -> Result<(), Failure> {
    let output = capture(command)?;
    if !output.status.success() {
        let mut to = std::io::stderr();
        // A closed terminal must not hide that it failed.
        let _ = to
            .write_all(&output.stdout)
            .and_then(|()| to.write_all(&output.stderr));
    }
    expect_success(command, output.status)
}

/// The first line that a program prints; its standard output must be a pipe.
pub(crate) fn first_line(command: &Command, child: &mut Child) -> Result<String, Failure> {
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line).map_err(start(command))?;
    }
    Ok(line)
}

/// Starts a program and leaves it running.
pub(crate) fn spawn(command: &mut Command) -> Result<Child, Failure> {
    command.spawn().map_err(start(command))
}

/// Runs a program to its end and returns its outputs and its status.
pub(crate) fn capture(command: &mut Command) -> Result<Output, Failure> {
    command.stdin(Stdio::null());
    command.output().map_err(start(command))
}

/// Runs a program to its end, shows its standard output on standard error while it runs, and returns it.
pub(crate) fn tee(command: &mut Command) -> Result<(ExitStatus, String), Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = spawn(command)?;
    let text = child.stdout.take().map(shown).unwrap_or_default();
    Ok((child.wait().map_err(start(command))?, text))
}

/// As [`tee`], with the lines of standard error among those of standard output.
pub(crate) fn tee_both(command: &mut Command) -> Result<(ExitStatus, String), Failure> {
    let (out, to) = std::io::pipe().map_err(start(command))?;
    let copy = to.try_clone().map_err(start(command))?;
    command.stdin(Stdio::null()).stdout(copy).stderr(to);
    let mut child = spawn(command)?;
    // The pipe ends when all its writers are closed, and the command still has two.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let text = shown(out);
    Ok((child.wait().map_err(start(command))?, text))
}

/// Reads to the end and shows each line. Bytes that are not UTF-8 are replaced, because a tool may quote a binary file.
fn shown(from: impl Read) -> String {
    let mut reader = BufReader::new(from);
    let mut text = String::new();
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
        let line = String::from_utf8_lossy(&bytes);
        // A closed terminal must not end the tests.
        let _ = std::io::stderr().write_all(line.as_bytes());
        text.push_str(&line);
        bytes.clear();
    }
    text
}

/// Replaces this process with another program, which gets the signals and sets the exit code.
pub(crate) fn become_program(command: &mut Command) -> Failure {
    let cause = command.exec();
    start(command)(cause)
}

/// The failure of a program that ended with `status`, if it is one.
pub(crate) fn expect_success(command: &Command, status: ExitStatus) -> Result<(), Failure> {
    if status.success() {
        return Ok(());
    }
    Err(Failure::Status {
        command: name(command),
        status,
    })
}

/// The command as a person would type it: the program's name and its arguments.
pub(crate) fn name(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![
        program
            .file_name()
            .unwrap_or(program.as_os_str())
            .to_string_lossy(),
    ];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy()));
    words.join(" ")
}

/// A failure to start this command, for `map_err`.
pub(crate) fn start(command: &Command) -> impl FnOnce(std::io::Error) -> Failure + use<> {
    let command = name(command);
    move |cause| Failure::Start { command, cause }
}

#[cfg(test)]
mod tests;
