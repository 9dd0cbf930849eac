//! The unit of systemd. Systemd does not run the service in these tests; the system calls that the unit refuses are compared with
//! those that the service makes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Operations;
use crate::failure::Failure;
use crate::process;

const UNIT: &str = "ops/systemd/cardform.service";
const USERS: &str = "ops/systemd/cardform.sysusers.conf";
/// The binary's path in the unit.
const BINARY: &str = "/usr/local/bin/cardform";
/// The exposure that `systemd-analyze` may compute, in tenths.
const EXPOSURE_MAX: &str = "19";
/// A system call that the service makes only as root, as in some tests: SQLite gives its files to the owner of their folder.
const AS_ROOT: &str = "fchown";
/// How long the service may take for its first payment while its system calls are counted.
const TIME_MAX: Duration = Duration::from_mins(2);
/// The pause between two requests for its metrics.
const LOOK_PAUSE: Duration = Duration::from_millis(200);
/// `/metrics` has this when a charge is paid.
const PAID: &str = "cardform_attempts_total{outcome=\"succeeded\"}";

pub(super) fn is_taken(operations: &Operations<'_>) -> Result<(), Failure> {
    let unit = read(operations, UNIT)?;
    if !unit.contains(BINARY) {
        return Err(Failure::unusable(UNIT, format!("it does not start {BINARY}")));
    }
    // The binary need not be installed here.
    let here = operations.work.join("cardform.service");
    let unit = unit.replace(BINARY, &operations.binary.display().to_string());
    std::fs::write(&here, unit).map_err(Failure::file(&here))?;
    process::run_quietly(
        Command::new("systemd-analyze")
            .args(["verify", "--man=no"])
            .arg(&here),
    )?;
    let users = operations.work.join("users");
    std::fs::create_dir_all(users.join("etc")).map_err(Failure::file(&users))?;
    let mut sysusers = Command::new("systemd-sysusers");
    sysusers.arg(format!("--root={}", users.display()));
    process::run_quietly(sysusers.arg(operations.root.join(USERS)))?;
    let made = std::fs::read_to_string(users.join("etc/passwd")).unwrap_or_default();
    if made.starts_with("cardform:") {
        Ok(())
    } else {
        Err(Failure::unusable(USERS, "it makes no user `cardform`"))
    }
}

pub(super) fn is_hardened(operations: &Operations<'_>) -> Result<(), Failure> {
    let mut analyze = Command::new("systemd-analyze");
    analyze.args(["security", "--offline=true", "--no-pager"]);
    analyze.arg(format!("--threshold={EXPOSURE_MAX}"));
    process::run_quietly(analyze.arg(operations.root.join(UNIT)))
}

/// The unit refuses no system call of a service that renders pages and takes payments.
pub(super) fn allows_calls(operations: &Operations<'_>) -> Result<(), Failure> {
    let calls = calls_of_the_service(operations)?;
    let sets = process::capture(Command::new("systemd-analyze").args(["syscall-filter", "--no-pager"]))?;
    let sets = sets_in(&String::from_utf8_lossy(&sets.stdout));
    let unit = read(operations, UNIT)?;
    let mut allowed = BTreeSet::new();
    for line in unit
        .lines()
        .filter_map(|line| line.strip_prefix("SystemCallFilter="))
    {
        let (names, is_refused) = line
            .strip_prefix('~')
            .map_or((line, false), |names| (names, true));
        for call in names.split_whitespace().flat_map(|name| calls_in(&sets, name)) {
            if is_refused {
                allowed.remove(&call);
            } else {
                allowed.insert(call);
            }
        }
    }
    let refused = calls.difference(&allowed).filter(|call| *call != AS_ROOT);
    let refused: Vec<_> = refused.cloned().collect();
    if refused.is_empty() {
        Ok(())
    } else {
        Err(Failure::unusable(
            UNIT,
            format!("it refuses what the service does: {}", refused.join(", ")),
        ))
    }
}

/// Systemd's sets of system calls by name. A set may contain other sets.
fn sets_in(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut sets = BTreeMap::<_, Vec<_>>::new();
    let mut set = None;
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        if line.starts_with('@') {
            set = Some(line.trim().to_owned());
        } else if let Some(set) = &set
            && !line.trim().is_empty()
        {
            sets.entry(set.clone()).or_default().push(line.trim().to_owned());
        }
    }
    sets
}

/// The system calls of a set, or the one of this name.
fn calls_in(sets: &BTreeMap<String, Vec<String>>, name: &str) -> BTreeSet<String> {
    let Some(inside) = sets.get(name) else {
        return BTreeSet::from([name.to_owned()]);
    };
    inside.iter().flat_map(|name| calls_in(sets, name)).collect()
}

/// The names of all system calls of a service in which simulated shoppers pay.
fn calls_of_the_service(operations: &Operations<'_>) -> Result<BTreeSet<String>, Failure> {
    let counts = operations.work.join("system-calls");
    let data = operations.work.join("data");
    let mut strace = Command::new("strace");
    strace
        .args(["--follow-forks", "--summary-only", "--output"])
        .arg(&counts);
    strace
        .arg(operations.binary)
        .args(["demo", "--json", "--with-traffic"]);
    strace.args(["--traffic-per-minute", "600", "--listen", "127.0.0.1:0", "--data"]);
    strace
        .arg(&data)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut service = Traced(process::spawn(&mut strace)?);
    let line = process::first_line(&strace, &mut service.0)?;
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
    let address = ready["listening"]
        .as_str()
        .and_then(|url| url.strip_prefix("http://"));
    let address = address.ok_or_else(|| Failure::unusable("the demo under strace", "it did not start"))?;
    let deadline = Instant::now() + TIME_MAX;
    while !metrics(address).unwrap_or_default().contains(PAID) {
        if Instant::now() > deadline {
            return Err(Failure::unusable(
                "the demo under strace",
                format!("{PAID} did not come"),
            ));
        }
        thread::sleep(LOOK_PAUSE);
    }
    service.end();
    let text = std::fs::read_to_string(&counts).map_err(Failure::file(&counts))?;
    Ok(names_in(&text))
}

/// `strace` and the service below it.
struct Traced(Child);

impl Traced {
    /// Sends SIGTERM to the service. `strace` ends after the service and writes its summary.
    fn end(&mut self) {
        let id = self.0.id();
        let below = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        for child in below.split_whitespace() {
            // It may have ended already.
            let _ = Command::new("kill").arg(child).status();
        }
        let _ = self.0.wait();
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        if self.0.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.end();
        }
    }
}

fn metrics(address: &str) -> Result<String, std::io::Error> {
    let mut connection = TcpStream::connect(address)?;
    connection.set_read_timeout(Some(TIME_MAX))?;
    write!(
        connection,
        "GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"
    )?;
    let mut text = String::new();
    connection.read_to_string(&mut text)?;
    Ok(text)
}

/// The last column of `strace`'s table.
fn names_in(summary: &str) -> BTreeSet<String> {
    let rows = summary.lines().filter(|line| {
        line.trim_start()
            .starts_with(|first: char| first.is_ascii_digit())
    });
    let names = rows.filter_map(|row| row.split_whitespace().last());
    names.filter(|name| *name != "total").map(str::to_owned).collect()
}

fn read(operations: &Operations<'_>, name: &str) -> Result<String, Failure> {
    let path = operations.root.join(Path::new(name));
    std::fs::read_to_string(&path).map_err(Failure::file(&path))
}

#[cfg(test)]
mod tests;
