//! A PostgreSQL server that a shell script starts in a new folder. The script prints the folder, and stops the server and
//! removes the folder when its standard input ends, which happens when the process at the other end is gone.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::TrialError;
use crate::first_line::first_line;
use crate::postgres_programs::{as_unprivileged_user, programs};

/// A running server.
#[derive(Debug)]
pub struct ScriptedPostgres {
    /// The folder of PostgreSQL's programs.
    pub programs: PathBuf,
    /// The folder that the script has made, with the server's socket.
    pub dir: PathBuf,
    script: Child,
}

impl ScriptedPostgres {
    /// Runs `script`, whose `$1` is the folder of the programs; `arguments` follow it. `name` stands in errors.
    pub fn start(name: &str, script: &str, arguments: &[&OsStr]) -> Result<Self, TrialError> {
        let programs = programs()?;
        let mut script = as_unprivileged_user()
            .args(["sh", "-c", script, "sh"])
            .arg(&programs)
            .args(arguments)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|cause| TrialError::Start(name.to_owned(), cause))?;
        let line = match script.stdout.take() {
            Some(output) => first_line(name, output)?.0,
            None => String::new(),
        };
        let dir = line.trim_end();
        if dir.is_empty() {
            return Err(TrialError::NotReady(name.to_owned(), "it ended".to_owned()));
        }
        Ok(Self {
            programs,
            dir: PathBuf::from(dir),
            script,
        })
    }

    /// The URL of the database with this name.
    pub fn url(&self, database: &str) -> String {
        let socket = self.dir.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@localhost/{database}?host={socket}")
    }

    /// One of PostgreSQL's client programs, which will connect to this server.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.args(["-U", "postgres", "-h"]).arg(&self.dir);
        command
    }
}

/// The last statement's rows as text, a line each. `psql` is the program that will connect to the server.
pub fn ask(mut psql: Command, database: &str, sql: &str) -> Result<String, TrialError> {
    let output = psql
        .args(["-d", database, "-Atc", sql])
        .output()
        .map_err(|cause| TrialError::Start("psql".to_owned(), cause))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(TrialError::NotReady("psql".to_owned(), said))
}

impl Drop for ScriptedPostgres {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        // The script cleans up itself, even if nobody waits for it.
        let _ = self.script.wait();
    }
}
