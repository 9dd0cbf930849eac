//! Requests to one server that has one core, from clients that have another.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::TrialError;
use crate::processor::processor_seconds;

/// How many clients send requests at the same time, and for how long.
pub(crate) const CLIENTS: &str = "32";
const SECONDS: &str = "5";
/// The core of the server, and the core of the clients.
pub(crate) const SERVING: &str = "0";
pub(crate) const ASKING: &str = "1";
pub(crate) const WRK: &str = include_str!("wrk.lua");

/// A server, and what is asked of it.
pub(crate) struct Asked<'a> {
    /// Without a path.
    pub(crate) url: &'a str,
    /// Its process.
    pub(crate) id: u32,
    /// [`WRK`] as a file.
    pub(crate) script: &'a Path,
    /// The requests, as [`WRK`] reads them.
    pub(crate) requests: &'a Path,
}

/// What a server answered so far.
#[derive(Default)]
pub(crate) struct LoadAnswers {
    /// Of the quickest round.
    pub(crate) per_second: f64,
    pub(crate) answers: u64,
    /// The processor time of all answers.
    seconds: f64,
}

impl LoadAnswers {
    /// One round of requests more.
    pub(crate) fn add(&mut self, asked: &Asked<'_>) -> Result<(), TrialError> {
        let before = processor_seconds(asked.id)?;
        let (per_second, answers) = ask(asked)?;
        self.seconds += processor_seconds(asked.id)? - before;
        self.answers += answers;
        self.per_second = f64::max(self.per_second, per_second);
        Ok(())
    }

    /// The processor time of an answer, in microseconds.
    pub(crate) fn microseconds(&self) -> f64 {
        microseconds(self.seconds, self.answers)
    }
}

/// One round more of each, so that other load on the machine affects both.
pub(crate) fn add_both(
    (ours, our_answers): (&Asked<'_>, &mut LoadAnswers),
    (theirs, their_answers): (&Asked<'_>, &mut LoadAnswers),
) -> Result<(), TrialError> {
    their_answers.add(theirs)?;
    our_answers.add(ours)
}

#[expect(clippy::cast_precision_loss, reason = "some millions are far below 2^52")]
pub(crate) fn microseconds(seconds: f64, of: u64) -> f64 {
    seconds * 1e6 / of.max(1) as f64
}

/// Requests per second, and how many were answered.
fn ask(asked: &Asked<'_>) -> Result<(f64, u64), TrialError> {
    let said = run(Command::new("taskset")
        .args(["-c", ASKING, "wrk", "-t", "1", "-c", CLIENTS, "-d", SECONDS, "-s"])
        .arg(asked.script)
        .args([asked.url, "--"])
        .arg(asked.requests))?;
    if said.contains("Non-2xx") || said.contains("Socket errors") {
        return Err(TrialError::Answer(said));
    }
    let per_second = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("Requests/sec:")?.trim().parse().ok());
    let answers = said
        .lines()
        .find_map(|line| line.trim().split_once(" requests in")?.0.parse().ok());
    per_second
        .zip(answers)
        .ok_or_else(|| TrialError::NotReady("wrk".to_owned(), said))
}

fn run(command: &mut Command) -> Result<String, TrialError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|cause| {
        TrialError::Start(
            format!("{name} (on Debian: apt-get install wrk nginx-light)"),
            cause,
        )
    })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(TrialError::NotReady(
            name,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ))
    }
}
