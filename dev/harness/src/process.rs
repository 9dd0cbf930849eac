//! `cardform` as a process: started, waited for, killed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::TrialError;
use crate::first_line::first_line;

/// The program and the folder that it runs in.
#[derive(Debug, Clone)]
pub struct Program {
    /// `cardform`.
    pub binary: PathBuf,
    /// Its working folder, where its log goes to.
    pub dir: PathBuf,
    /// The program and its arguments that start it, if it is not started directly.
    starter: Vec<OsString>,
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
            starter: Vec::new(),
        }
    }

    /// The same, started by another program: `starter` are its name and first arguments.
    #[must_use]
    pub fn started_by(self, starter: Vec<OsString>) -> Self {
        Self { starter, ..self }
    }

    /// The same on one processor: the service then starts as many threads as it does on a machine with one.
    #[must_use]
    pub fn on_core(self, core: &'static str) -> Self {
        self.started_by(["taskset", "-c", core].map(OsString::from).to_vec())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = match self.starter.as_slice() {
            [] => Command::new(&self.binary),
            [starter, arguments @ ..] => {
                let mut command = Command::new(starter);
                command.args(arguments).arg(&self.binary);
                command
            }
        };
        command
            .current_dir(&self.dir)
            .env_clear()
            // Where the starter is.
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
        if let Some(output) = process.child.stdout.take() {
            let (said, output) = first_line(&name, output)?;
            line = said;
            process.child.stdout = Some(output);
        }
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let Some(url) = ready["listening"].as_str() else {
            return Err(TrialError::NotReady(name, line));
        };
        url.clone_into(&mut process.url);
        Ok(process)
    }
}

impl Program {
    /// The same, on a thread where waiting holds up nobody.
    pub async fn serve_aside(&self, arguments: Vec<String>) -> Result<CardformProcess, TrialError> {
        let program = self.clone();
        let started = tokio::task::spawn_blocking(move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            program.serve(&arguments)
        });
        started
            .await
            .map_err(|_| TrialError::Answer("a panic".to_owned()))?
    }
}

impl CardformProcess {
    /// Its id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// SIGTERM, to the service itself where a starter is in front of it.
    pub fn ask_to_end(&self) -> Result<(), TrialError> {
        let id = self.id();
        let below = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let id = below
            .split_whitespace()
            .next()
            .map_or_else(|| id.to_string(), str::to_owned);
        let told = Command::new("kill").arg(&id).status();
        told.map(drop)
            .map_err(|cause| TrialError::Start("kill".to_owned(), cause))
    }

    /// Whether it has ended, and if so whether it succeeded.
    pub fn ended(&mut self) -> Result<Option<bool>, TrialError> {
        let ended = self.child.try_wait();
        ended
            .map(|status| status.map(|status| status.success()))
            .map_err(|cause| TrialError::Start("the service".to_owned(), cause))
    }

    /// SIGTERM, and waits until it has ended in order.
    pub async fn end(mut self) -> Result<(), TrialError> {
        let name = "the end of a node".to_owned();
        self.ask_to_end()?;
        let ended = tokio::task::spawn_blocking(move || self.child.wait());
        match ended.await {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(TrialError::NotReady(name, status.to_string())),
            Ok(Err(cause)) => Err(TrialError::Start(name, cause)),
            Err(_) => Err(TrialError::Answer("a panic".to_owned())),
        }
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
