//! A PostgreSQL server that a shell script starts in a new folder. The script prints the folder, and stops the server and
//! removes the folder when its standard input ends, which happens when the process at the other end is gone.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::companion::output_of;
use crate::first_line::first_line;
use crate::postgres_programs::{as_unprivileged_user, programs};

/// A running server.
#[derive(Debug)]
pub(crate) struct ScriptedPostgres {
    /// The folder of PostgreSQL's programs.
    pub(crate) programs: PathBuf,
    /// The folder that the script has made, with the server's socket.
    pub(crate) dir: PathBuf,
    /// The port in the name of its socket.
    pub(crate) port: u16,
    script: Child,
}

/// PostgreSQL's default.
const PORT: u16 = 5432;

impl ScriptedPostgres {
    /// Runs `script`, whose `$1` is the folder of the programs; `arguments` follow it.
    pub(crate) fn start(script: &str, arguments: &[&OsStr]) -> Result<Self> {
        let programs = programs()?;
        let mut script = as_unprivileged_user()
            .args(["sh", "-c", script, "sh"])
            .arg(&programs)
            .args(arguments)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start PostgreSQL")?;
        let (line, _) = first_line(script.stdout.take().context("no output")?)?;
        ensure!(!line.is_empty(), "PostgreSQL does not start");
        Ok(Self {
            programs,
            dir: PathBuf::from(line.trim_end()),
            port: PORT,
            script,
        })
    }

    /// The URL of the database with this name.
    pub(crate) fn url(&self, database: &str) -> String {
        let socket = self.dir.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@localhost/{database}?host={socket}")
    }

    /// One of PostgreSQL's client programs, which connects to this server.
    pub(crate) fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.args(["-U", "postgres", "-h"]).arg(&self.dir);
        command.args(["-p", &self.port.to_string()]);
        command
    }

    /// Runs `pg_ctl` and waits until it is done.
    pub(crate) fn control(&self, arguments: &[&str]) -> Result<()> {
        let mut control = as_unprivileged_user();
        control
            .arg(self.programs.join("pg_ctl"))
            .arg("-D")
            .arg(self.dir.join("data"))
            .arg("-l")
            .arg(self.dir.join("log"))
            .arg("-w")
            .args(arguments)
            .current_dir("/")
            // The server must not keep our output open.
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        ensure!(
            control.status()?.success(),
            "pg_ctl {} failed",
            arguments.join(" ")
        );
        Ok(())
    }

    /// The last statement's rows as text, a line each.
    pub(crate) fn ask(&self, database: &str, sql: &str) -> Result<String> {
        output_of(self.program("psql").args(["-d", database, "-Atc", sql]))
    }
}

impl Drop for ScriptedPostgres {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        // Wait until the script has cleaned up.
        let _ = self.script.wait();
    }
}
