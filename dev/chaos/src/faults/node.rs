//! Faults of a node: its log is not read, its descriptors are used up, its clock jumps. Another node is well.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result, bail};
use harness::companion::run;
use harness::postgres::{Durability, Postgres};
use harness::process::Program;
use harness::shop::TrialMerchant;
use tokio::net::TcpStream;
use tokio::time::{Duration, sleep};

use super::{CHARGES_BETWEEN, LASTS, PAUSE, SufferedFaults, SufferingService, not_seen, seen_within};
use crate::killed_nodes::Surroundings;
use crate::node::Node;

/// How many descriptors the node has, and how many connections are open that say nothing.
const DESCRIPTORS: usize = 256;
const IDLE: usize = 300;
/// Requests whose lines fill the log's pipe, 64 KB, and the service's own room for lines, several times.
const LOGGED: usize = 200;
/// How long the log may take until it is full, and lines are dropped.
const LOG_FULL_WITHIN: Duration = Duration::from_secs(90);
/// Debian's `libfaketime`, below the folder of the machine's libraries.
const FAKETIME: &str = "faketime/libfaketime.so.1";
const LIBRARIES: &str = "/usr/lib";
/// The file with the node's difference from the true time, and how often the node reads it.
const CLOCK: &str = "clock";
const CLOCK_READ_EVERY_SECONDS: u64 = 1;
/// Seconds by which the clock jumps: more than the lease of an attempt has (ten), and more than the provider may take.
const JUMP_SECONDS: i64 = 15;
/// The header with the time has seconds, and the answer takes some time.
const TOLERANCE_SECONDS: i64 = 2;

/// Runs the drill in `dir`, with two nodes on PostgreSQL.
pub(super) async fn drill(binary: &Path, dir: &Path, seed: u64, all: &mut SufferedFaults) -> Result<()> {
    let postgres = Postgres::start(Durability::Full)?;
    let database = postgres.new_database()?;
    let program = Program::new(binary, dir);
    let mut around = Surroundings::start(&program, &database).await?;
    around.may_repeat_events = true;
    let pipe = dir.join("unread-log");
    run(&format!("mkfifo {}", pipe.display()))?;
    // Open at both ends, and never read.
    let unread = File::options().read(true).write(true).open(&pipe)?;
    let clock = dir.join(CLOCK);
    set_clock(&clock, 0)?;
    let line = around.node(&database);
    let suffering = program.clone().started_by(starter(&clock)?);
    let nodes = [
        Node::start(&suffering, format!("{line} --log info")).await?,
        Node::start(&program, line).await?,
    ];
    let (url, well) = (nodes[0].url(), nodes[1].url());
    let mut service = SufferingService::start(around, &nodes, seed, all).await?;
    let merchant = service.around.merchant.clone();

    let dropped = async || service.count("cardform_log_lines_dropped_total").await;
    let full = fill_log(&merchant, &url, dropped).await?;
    service
        .suffer("a node's log is not read", async || {
            Ok(format!("the pipe is full, {full} lines dropped at its beginning"))
        })
        .await?;

    let (before, idle) = (service.turned_away().await?, idle_connections(&url).await?);
    service
        .suffer("idle connections use up a node's descriptors", async || {
            sleep(LASTS).await;
            Ok(format!("{} connections at {DESCRIPTORS} descriptors", idle.len()))
        })
        .await?;
    let closed = service.turned_away().await? - before;
    drop(idle);
    if closed == 0 {
        bail!(not_seen("used up descriptors", "no idle connection was closed"));
    }

    for (what, seconds) in [
        ("a node's clock jumps 15 s forwards", JUMP_SECONDS),
        ("it jumps 15 s backwards, to the true time", 0),
        ("it jumps 15 s backwards", -JUMP_SECONDS),
        ("it jumps 15 s forwards, to the true time", 0),
    ] {
        let load = std::sync::Arc::clone(&service.load);
        service
            .suffer(what, async || {
                set_clock(&clock, seconds)?;
                let dated = dated(&merchant, [&url, &well], seconds).await?;
                load.wait_for(CHARGES_BETWEEN, what).await?;
                sleep(LASTS).await;
                Ok(dated)
            })
            .await?;
    }
    let ended = service.end(6).await;
    drop(unread);
    ended
}

impl SufferingService<'_> {
    async fn turned_away(&self) -> Result<u64> {
        self.count("cardform_connections_turned_away_total{reason=\"idle\"}")
            .await
    }
}

/// What starts the node: few descriptors, a clock of its own, and a log that goes into the pipe.
fn starter(clock: &Path) -> Result<Vec<String>> {
    let (library, clock) = (faketime()?, clock.display());
    let words = format!(
        "env LD_PRELOAD={library} FAKETIME_TIMESTAMP_FILE={clock} FAKETIME_CACHE_DURATION={CLOCK_READ_EVERY_SECONDS} \
         FAKETIME_DONT_FAKE_MONOTONIC=1 prlimit --nofile={DESCRIPTORS}:{DESCRIPTORS} sh -c"
    );
    let mut words: Vec<_> = words.split(' ').map(str::to_owned).collect();
    words.push("exec \"$0\" \"$@\" 2>unread-log".to_owned());
    Ok(words)
}

/// The library that gives a program another time.
fn faketime() -> Result<String> {
    let folders = std::fs::read_dir(LIBRARIES).into_iter().flatten().flatten();
    folders
        .map(|folder| folder.path().join(FAKETIME))
        .find(|library| library.is_file())
        .map(|library| library.display().to_string())
        .context("libfaketime is not installed: on Debian `apt-get install libfaketime`")
}

/// Asks the node until it drops lines of its log. Returns how many it has dropped.
async fn fill_log(
    merchant: &TrialMerchant,
    url: &str,
    dropped: impl AsyncFn() -> Result<u64>,
) -> Result<u64> {
    let count = seen_within(LOG_FULL_WITHIN, async || {
        for _ in 0..LOGGED {
            merchant.text(&format!("{url}/openapi.json")).await?;
        }
        dropped().await
    })
    .await?;
    if count == 0 {
        bail!(not_seen("an unread log", "no line was dropped"));
    }
    Ok(count)
}

async fn idle_connections(url: &str) -> Result<Vec<TcpStream>> {
    let mut open = Vec::new();
    for _ in 0..IDLE {
        open.push(TcpStream::connect(url.trim_start_matches("http://")).await?);
    }
    Ok(open)
}

/// Sets the node's difference from the true time.
fn set_clock(clock: &Path, seconds: i64) -> Result<()> {
    Ok(std::fs::write(clock, format!("{seconds:+}"))?)
}

/// Waits until the node's answers have this difference from the well node's time.
async fn dated(merchant: &TrialMerchant, [url, well]: [&str; 2], seconds: i64) -> Result<String> {
    let mut shown = 0;
    for _ in 0..100 {
        shown = merchant.time_of(url).await? - merchant.time_of(well).await?;
        if (shown - seconds).abs() <= TOLERANCE_SECONDS {
            return Ok(format!("its answers are dated {shown:+} s"));
        }
        sleep(PAUSE).await;
    }
    bail!(not_seen(
        "a jump of a clock",
        &format!("its answers are dated {shown:+} s")
    ))
}
