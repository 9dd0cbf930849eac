//! Commands of xtask that run beside the steps in front, so that both cores have work. Each is a process of its own whose
//! output is kept until it ends: nothing that is printed is mixed.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::process;

/// A command of xtask, as a step of the tests.
pub(super) struct Job {
    pub(super) step: &'static str,
    pub(super) arguments: &'static [&'static str],
}

/// A job that has ended.
pub(super) struct Ended {
    pub(super) step: &'static str,
    pub(super) took: Duration,
    /// Everything that it printed.
    pub(super) output: String,
    /// Why it failed, in a line.
    pub(super) outcome: Result<(), String>,
}

/// Jobs that are under way.
pub(super) struct Beside(JoinHandle<Vec<Ended>>);

impl Beside {
    /// Starts the jobs, one after the other.
    pub(super) fn start(root: &Path, jobs: &'static [Job]) -> Self {
        // Asked now: a build beside may put another program in its place.
        let program = std::env::current_exe();
        let root = root.to_owned();
        Self(thread::spawn(move || {
            let run = |job: &Job| {
                let start = Instant::now();
                let (output, outcome) = match &program {
                    Ok(program) => {
                        let mut command = Command::new(program);
                        command.args(job.arguments).current_dir(&root);
                        to_its_end(&mut command)
                    }
                    Err(cause) => (String::new(), Err(cause.to_string())),
                };
                Ended {
                    step: job.step,
                    took: start.elapsed(),
                    output,
                    outcome,
                }
            };
            jobs.iter().map(run).collect()
        }))
    }

    /// Waits for all jobs.
    pub(super) fn ended(self) -> Vec<Ended> {
        self.0.join().unwrap_or_default()
    }
}

/// What the command printed, and why it failed.
fn to_its_end(command: &mut Command) -> (String, Result<(), String>) {
    let mut bytes = Vec::new();
    let status = std::io::pipe().and_then(|(mut from, to)| {
        command.stdin(Stdio::null()).stdout(to.try_clone()?).stderr(to);
        let mut child = command.spawn()?;
        // The command holds the pipe's other end, which must be the child's alone for the pipe to end.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        from.read_to_end(&mut bytes)?;
        child.wait()
    });
    let output = String::from_utf8_lossy(&bytes).into_owned();
    let outcome = match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            let reason = output.lines().rev().find_map(|line| line.strip_prefix("error: "));
            Err(reason.map_or_else(
                || format!("`{}` failed ({status})", process::name(command)),
                str::to_owned,
            ))
        }
        Err(cause) => Err(format!("`{}`: {cause}", process::name(command))),
    };
    (output, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (String, Result<(), String>) {
        to_its_end(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn both_outputs_are_kept_in_their_order() {
        let (output, outcome) = shell("echo one; echo two >&2; echo three");
        assert_eq!((output.as_str(), outcome), ("one\ntwo\nthree\n", Ok(())));
    }

    #[test]
    fn a_failure_is_told_by_its_last_error() {
        let (output, outcome) =
            shell("echo 'error: first'; echo 'error: 2 findings' >&2; echo after; exit 1");
        assert_eq!(outcome, Err("2 findings".to_owned()));
        assert!(output.ends_with("after\n"));
        let (_, outcome) = shell("exit 3");
        assert!(outcome.unwrap_err().contains("exit status: 3"));
        let (_, outcome) = to_its_end(&mut Command::new("cardform-nothing"));
        assert!(outcome.unwrap_err().starts_with("`cardform-nothing`: "));
    }

    #[test]
    fn jobs_run_one_after_the_other_in_processes_of_their_own() {
        const JOBS: [Job; 2] = [
            Job {
                step: "list",
                arguments: &["--list"],
            },
            Job {
                step: "wrong",
                arguments: &["--no-such-option"],
            },
        ];
        // This program is a list of tests, of which this is one.
        let ended = Beside::start(Path::new("."), &JOBS).ended();
        let steps: Vec<_> = ended.iter().map(|job| (job.step, job.outcome.is_ok())).collect();
        assert_eq!(steps, [("list", true), ("wrong", false)]);
        assert!(
            ended[0]
                .output
                .contains("beside::tests::jobs_run_one_after_the_other")
        );
    }
}
