//! Other programs beside the service. Each ends together with the process that started it, even if that is killed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::postgres_programs::as_unprivileged_user;

/// Runs the program, and kills it when standard input ends, because then the process at the other end has ended. A PostgreSQL
/// server that the program has started in the folder `$1` ends, too.
const SCRIPT: &str = r#"
name=$1; shift
"$@" </dev/null &
trap '' INT TERM
cat >/dev/null
kill -KILL $! 2>/dev/null
wait $!
if [ -f "$name/postmaster.pid" ]; then
  server=$(head -n 1 "$name/postmaster.pid")
  if [ "$(readlink "/proc/$server/cwd")" = "$PWD/$name" ]; then kill -QUIT "$server"; kill -CONT "$server"; fi
fi
"#;

/// How long a program may take until it answers.
const START_MAX: Duration = Duration::from_secs(30);
/// The pause between two checks whether it answers.
const PAUSE: Duration = Duration::from_millis(20);

/// The user as whom a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunAs {
    /// The user of this process.
    Caller,
    /// PostgreSQL's user if this process runs as root, because the program refuses to run as root.
    Unprivileged,
}

/// A running program; killed when it is dropped.
#[derive(Debug)]
pub struct Companion {
    name: String,
    log: PathBuf,
    script: Child,
}

impl Companion {
    /// Starts a program by its command line, which is split at spaces. It runs in `dir`; its output goes to `NAME.log` there.
    pub fn start(name: &str, dir: &Path, user: RunAs, line: &str) -> Result<Self> {
        let path = dir.join(format!("{name}.log"));
        let log = File::options().create(true).append(true).open(&path)?;
        let mut command = match user {
            RunAs::Caller => Command::new("env"),
            RunAs::Unprivileged => as_unprivileged_user(),
        };
        let script = command
            .args(["sh", "-c", SCRIPT, "sh", name])
            .args(line.split_whitespace())
            .current_dir(dir)
            // Some programs look for files of their user there.
            .env("HOME", dir)
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        Ok(Self {
            name: name.to_owned(),
            log: path,
            script,
        })
    }

    /// Its process's id: the first child of the shell.
    pub fn id(&self) -> Option<u32> {
        children(self.script.id()).first().copied()
    }

    /// Waits until `answers` returns true.
    pub fn wait_until(&self, mut answers: impl FnMut() -> bool) -> Result<()> {
        let until = Instant::now() + START_MAX;
        while !answers() {
            if Instant::now() > until {
                let log = std::fs::read_to_string(&self.log).unwrap_or_default();
                bail!(
                    "{} does not answer: {}",
                    self.name,
                    log.lines().last().unwrap_or_default()
                );
            }
            sleep(PAUSE);
        }
        Ok(())
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        // Wait until the script has killed the program.
        let _ = self.script.wait();
    }
}

/// The child processes of a process, the oldest first.
pub fn children(id: u32) -> Vec<u32> {
    let listed = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    listed
        .split_whitespace()
        .filter_map(|id| id.parse().ok())
        .collect()
}

/// Sends a signal, as `kill` names it. A process may have ended meanwhile.
pub fn signal(name: &str, ids: &[u32]) {
    let ids = ids.iter().map(u32::to_string);
    let _ = Command::new("kill")
        .arg(format!("-{name}"))
        .args(ids)
        .stderr(Stdio::null())
        .status();
}

/// Lets the unprivileged user of the companions write into this folder.
pub fn open_to_all(dir: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::set_permissions(
        dir,
        std::fs::Permissions::from_mode(0o777),
    )?)
}

/// Runs a command line to its end. It is split at spaces.
pub fn run(line: &str) -> Result<()> {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    output_of(command.args(words).stdin(Stdio::null())).map(drop)
}

/// Runs a command to its end, and returns its trimmed output. A failure is an error with the command's outputs.
pub fn output_of(command: &mut Command) -> Result<String> {
    let name = command.get_program().display().to_string();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{name} failed: {said} {}",
        complaint.trim()
    );
    Ok(said)
}
