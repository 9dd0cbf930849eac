//! `cardform` as a process: started, waited for, killed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::TrialError;

/// The program and the folder that it runs in.
#[derive(Debug, Clone)]
pub struct Program {
    /// `cardform`.
    pub binary: PathBuf,
    /// Its working folder, where its log goes to.
    pub dir: PathBuf,
    /// The processor that it may use, if it may not use all.
    core: Option<&'static str>,
}

/// A running `cardform`; killed when it is dropped.
#[derive(Debug)]
pub struct CardformProcess {
    child: Child,
    /// Where it listens: `http://127.0.0.1:4321`.
    pub url: String,
}

/// The arguments of a service with this database and this provider, whose pages nobody opens.
pub fn service_arguments<'a>(database: &'a str, provider: &'a str) -> [&'a str; 10] {
    [
        "serve",
        "--create",
        "--listen",
        "127.0.0.1:0",
        "--render-time-ms",
        "0",
        "--database",
        database,
        "--provider-url",
        provider,
    ]
}

impl Program {
    /// `binary`, run in `dir`.
    pub fn new(binary: &Path, dir: &Path) -> Self {
        Self {
            binary: binary.to_owned(),
            dir: dir.to_owned(),
            core: None,
        }
    }

    /// The same on one processor: the service then starts as many threads as it does on a machine with one.
    #[must_use]
    pub(crate) fn on_core(self, core: &'static str) -> Self {
        Self {
            core: Some(core),
            ..self
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = if let Some(core) = self.core {
            let mut pinned = Command::new("taskset");
            pinned.args(["-c", core]).arg(&self.binary);
            pinned
        } else {
            Command::new(&self.binary)
        };
        command
            .current_dir(&self.dir)
            .env_clear()
            // Where `taskset` is.
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .args(arguments)
            .arg("--json");
        command
    }

    /// Runs a command to its end; what it answered.
    pub fn run(&self, arguments: &[&str]) -> Result<Value, TrialError> {
        let name = arguments.join(" ");
        let output = self
            .command(arguments)
            .output()
            .map_err(|cause| TrialError::Start(name.clone(), cause))?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            TrialError::NotReady(name, said)
        })
    }

    /// Starts a command that serves, and waits until it says that it listens.
    pub fn serve(&self, arguments: &[&str]) -> Result<CardformProcess, TrialError> {
        let name = arguments.first().copied().unwrap_or_default().to_owned();
        let start = |cause| TrialError::Start(name.clone(), cause);
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.dir.join(format!("{name}.log")))
            .map_err(start)?;
        let child = self
            .command(arguments)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(start)?;
        let mut process = CardformProcess {
            child,
            url: String::new(),
        };
        let mut line = String::new();
        if let Some(out) = process.child.stdout.as_mut() {
            BufReader::new(out).read_line(&mut line).map_err(start)?;
        }
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let Some(url) = ready["listening"].as_str() else {
            return Err(TrialError::NotReady(name, line));
        };
        url.clone_into(&mut process.url);
        Ok(process)
    }
}

impl CardformProcess {
    /// Its id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL: it gets no time for anything.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for CardformProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
