//! `cardform` as a process: started, waited for, killed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::companion::{children, signal};
use crate::first_line::first_line;

/// The program and the folder that it runs in.
#[derive(Debug, Clone)]
pub struct Program {
    /// `cardform`.
    pub binary: PathBuf,
    /// Its working folder, which its log is written to.
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

/// The arguments of a service with this database and this provider, which renders no page.
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
    pub fn started_by(self, starter: &[impl Into<OsString> + Clone]) -> Self {
        let starter = starter.iter().cloned().map(Into::into).collect();
        Self { starter, ..self }
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

    /// Runs a command to its end. Returns what it printed.
    pub fn run(&self, arguments: &[&str]) -> Result<Value> {
        let name = || arguments.join(" ");
        let output = self.command(arguments).output().with_context(name)?;
        serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
            .with_context(name)
    }

    /// Starts a command that serves, and waits until it listens.
    pub fn serve(&self, arguments: &[&str]) -> Result<CardformProcess> {
        let name = arguments.first().copied().unwrap_or_default();
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.dir.join(format!("{name}.log")))?;
        let mut child = self
            .command(arguments)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start `{name}`"))?;
        let output = child.stdout.take().context("no output")?;
        let mut process = CardformProcess {
            child,
            url: String::new(),
        };
        let (line, output) = first_line(output).with_context(|| format!("`{name}` is not ready"))?;
        process.child.stdout = Some(output);
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = ready["listening"].as_str();
        let url = url.with_context(|| format!("`{name}` is not ready: {line:?}"))?;
        url.clone_into(&mut process.url);
        Ok(process)
    }

    /// The same on a thread that may block.
    pub async fn serve_aside(&self, arguments: Vec<String>) -> Result<CardformProcess> {
        let program = self.clone();
        let start = move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            program.serve(&arguments)
        };
        tokio::task::spawn_blocking(start).await?
    }
}

impl CardformProcess {
    /// Its id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM, to the service itself where a starter waits for it.
    pub fn ask_to_end(&self) {
        let id = self.id();
        signal("TERM", &[children(id).first().copied().unwrap_or(id)]);
    }

    /// Waits until it has ended.
    pub async fn ended(mut self) -> Result<ExitStatus> {
        Ok(tokio::task::spawn_blocking(move || self.child.wait()).await??)
    }

    /// Sends SIGTERM, and waits until it has ended with success.
    pub async fn end(self) -> Result<()> {
        self.ask_to_end();
        let status = self.ended().await?;
        ensure!(status.success(), "a node failed at its end: {status}");
        Ok(())
    }

    /// SIGKILL.
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
