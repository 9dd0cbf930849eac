//! The debug server as a child process: started, watched, and stopped so that it can finish its work.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::failure::Failure;
use crate::process;

/// Not the demo's own address, because the browser's cached files of that address cannot reload.
const LISTEN: &str = "127.0.0.1:8090";

/// How long a server may take to finish what it is doing.
const PATIENCE: Duration = Duration::from_secs(5);

/// A started server. It ends with this.
pub(super) struct DevServer {
    /// `None` once its end has been seen.
    child: Option<Child>,
}

impl DevServer {
    /// Starts `cardform demo`; arguments can override the address.
    pub(super) fn start(root: &Path, arguments: &[OsString]) -> Result<Self, Failure> {
        let mut command = Command::new(process::target_folder(root).join("debug/cardform"));
        command.current_dir(root).arg("demo").stdin(Stdio::null());
        let names_address = |argument: &OsString| argument.to_string_lossy().starts_with("--listen");
        if !arguments.iter().any(names_address) {
            command.args(["--listen", LISTEN]);
        }
        command.args(arguments);
        let child = command.spawn().map_err(|cause| Failure::Start {
            command: process::name(&command),
            cause,
        })?;
        Ok(Self { child: Some(child) })
    }

    /// How the server ended, once, if it did so by itself.
    pub(super) fn ended(&mut self) -> Result<Option<ExitStatus>, Failure> {
        let Some(child) = &mut self.child else {
            return Ok(None);
        };
        let status = child.try_wait().map_err(lost)?;
        if status.is_some() {
            self.child = None;
        }
        Ok(status)
    }

    /// Asks the server to end, and ends it if it does not.
    pub(super) fn stop(&mut self) -> Result<(), Failure> {
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        // The server may have ended in the meantime, which is fine.
        let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if child.try_wait().map_err(lost)?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        child.wait().map(|_| ()).map_err(lost)
    }
}

impl Drop for DevServer {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

fn lost(cause: std::io::Error) -> Failure {
    Failure::Start {
        command: "cardform demo".to_owned(),
        cause,
    }
}
