//! `cardform` as a process: started, waited for, killed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::companion::{children, signal};
use crate::first_line::{READY_WITHIN, first_line};

/// How long a process may take to end on a busy machine.
const ENDED_WITHIN: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(10);

/// The program and the folder that it runs in. Its command lines are split at spaces.
#[derive(Debug, Clone)]
pub struct Program {
    /// `cardform`.
    pub binary: PathBuf,
    /// Its working folder, which also has its log.
    pub dir: PathBuf,
    /// The command that starts it, if it is not started directly.
    starter: Vec<String>,
}

/// A running `cardform`; killed when it is dropped.
#[derive(Debug)]
pub struct CardformProcess {
    child: Child,
    /// The JSON that it has printed when it was ready.
    pub ready: Value,
    /// Its address: `http://127.0.0.1:4321`.
    pub url: String,
}

/// The command line of a service with this database and this provider, which renders no page.
pub fn service(database: &str, provider: &str) -> String {
    format!("serve --create --render-time-ms 0 --database {database} --provider-url {provider}")
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

    /// The same, started by this command.
    #[must_use]
    pub fn started_by(self, starter: Vec<String>) -> Self {
        Self { starter, ..self }
    }

    fn command(&self, line: &str) -> Command {
        let starter = self.starter.iter().map(OsStr::new);
        let mut words = starter.chain([self.binary.as_os_str()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command
            .args(words)
            .current_dir(&self.dir)
            .env_clear()
            // The starter's folder.
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .args(line.split_whitespace());
        command
    }

    /// Runs a command to its end. Returns the JSON that it printed.
    pub fn run(&self, line: &str) -> Result<Value> {
        let output = self.command(line).arg("--json").output()?;
        serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
            .with_context(|| format!("`{line}` failed"))
    }

    /// Writes a new key for saved cards into this file of its folder.
    pub fn write_vault_key(&self, file: &str) -> Result<()> {
        let made = self.run("key generate")?;
        let key = made["key"].as_str().context("no key")?;
        Ok(std::fs::write(self.dir.join(file), key)?)
    }

    /// Starts a command that serves at a free port, and waits until it listens.
    pub fn serve(&self, line: &str) -> Result<CardformProcess> {
        self.serve_at("127.0.0.1:0", line)
    }

    /// The same at this address.
    pub fn serve_at(&self, address: &str, line: &str) -> Result<CardformProcess> {
        let name = line.split_whitespace().next().unwrap_or_default();
        let log = self.dir.join(format!("{name}.log"));
        let mut command = self.command(line);
        command
            .args(["--listen", address])
            .env("RUST_LOG", "warn")
            .stderr(File::options().create(true).append(true).open(&log)?);
        CardformProcess::start(command)
            .with_context(|| std::fs::read_to_string(&log).unwrap_or_default())
            .with_context(|| format!("`{line}` failed"))
    }
}

impl CardformProcess {
    /// Starts this command with `--json`, and waits until it is ready.
    pub fn start(mut command: Command) -> Result<Self> {
        let mut child = command.arg("--json").stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().context("no output")?;
        let mut process = Self {
            child,
            ready: Value::Null,
            url: String::new(),
        };
        let (line, output) = first_line(output, READY_WITHIN)?;
        process.child.stdout = Some(output);
        process.ready = serde_json::from_str(&line).with_context(|| format!("it is not ready: {line:?}"))?;
        process.url = process.ready["listening"].as_str().unwrap_or_default().to_owned();
        Ok(process)
    }

    /// Its id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The pipe of its log, if it was started with one.
    pub fn log(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Sends SIGTERM to the service, or to the service below its starter.
    pub fn ask_to_end(&self) {
        let id = self.id();
        signal("TERM", &[children(id).first().copied().unwrap_or(id)]);
    }

    /// Waits until it has ended. Returns its status and the rest of its output.
    pub fn wait(mut self) -> Result<(ExitStatus, String)> {
        let until = Instant::now() + ENDED_WITHIN;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            ensure!(Instant::now() < until, "a process does not end");
            std::thread::sleep(PAUSE);
        };
        let mut rest = String::new();
        let mut output = self.child.stdout.take().context("no output")?;
        output.read_to_string(&mut rest)?;
        Ok((status, rest))
    }

    /// Waits until it has ended with success.
    pub async fn ended(self) -> Result<()> {
        let (status, _) = spawn_blocking(move || self.wait()).await??;
        ensure!(status.success(), "a process failed at its end: {status}");
        Ok(())
    }

    /// Sends SIGTERM, and waits until it has ended with success.
    pub async fn end(self) -> Result<()> {
        self.ask_to_end();
        self.ended().await
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
