//! The clock of a node jumps. The clock of another node is right.

use std::env::consts::ARCH;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use harness::postgres::{Durability, Postgres};
use harness::process::Program;
use harness::shop::TrialMerchant;
use harness::waiting::happens_within;
use jiff::fmt::rfc2822;
use tokio::time::{Duration, sleep};

use crate::node::Node;
use crate::suffering::{LASTS, SufferingService};
use crate::surroundings::Surroundings;

/// How often the node reads its clock's file.
const CLOCK_READ_EVERY_SECONDS: u64 = 1;
/// Seconds by which the clock jumps: more than the lease of an attempt (ten), and more than the provider may take.
const JUMP_SECONDS: i64 = 15;
/// The header with the time has whole seconds, and the answer takes some time.
const TOLERANCE_SECONDS: i64 = 2;
/// How long the node may take until its answers show the jump.
const SEEN_WITHIN: Duration = Duration::from_secs(25);

/// Runs the drill with two nodes on PostgreSQL.
pub(super) async fn drill(program: Program, seed: u64) -> Result<()> {
    let postgres = Postgres::start(Durability::Full)?;
    let clock = program.dir.join("clock");
    set_clock(&clock, 0)?;
    let changed = program.clone().started_by(starter(&clock)?);
    let mut around = Surroundings::start(program, &postgres.new_database()?).await?;
    around.may_repeat_events = true;
    let nodes = [
        around.node().await?,
        Node::start(&changed, around.line.clone()).await?,
    ];
    let [right, wrong] = nodes.each_ref().map(|node| node.url.clone());
    let addresses = vec![right.clone(), wrong.clone()];
    let mut service = SufferingService::start(around, addresses, seed).await?;
    let merchant = service.around.merchant.clone();
    for (what, seconds) in [
        ("a node's clock jumps 15 s forwards", JUMP_SECONDS),
        ("it jumps 15 s backwards, to the true time", 0),
        ("it jumps 15 s backwards", -JUMP_SECONDS),
        ("it jumps 15 s forwards, to the true time", 0),
    ] {
        let jump = async {
            set_clock(&clock, seconds)?;
            let dated = seen_to_differ(&merchant, [&wrong, &right], seconds).await?;
            sleep(LASTS).await;
            Ok(dated)
        };
        service.suffer(what, jump).await?;
    }
    service.end().await
}

/// The command that starts the node with the clock of this file.
fn starter(clock: &Path) -> Result<Vec<String>> {
    let library = format!("/usr/lib/{ARCH}-linux-gnu/faketime/libfaketime.so.1");
    ensure!(
        Path::new(&library).is_file(),
        "libfaketime is not installed: on Debian `apt-get install libfaketime`"
    );
    let words = format!(
        "env LD_PRELOAD={library} FAKETIME_TIMESTAMP_FILE={} FAKETIME_CACHE_DURATION={CLOCK_READ_EVERY_SECONDS} \
         FAKETIME_DONT_FAKE_MONOTONIC=1",
        clock.display()
    );
    Ok(words.split(' ').map(str::to_owned).collect())
}

/// Sets the difference from the true time.
fn set_clock(clock: &Path, seconds: i64) -> Result<()> {
    Ok(std::fs::write(clock, format!("{seconds:+}"))?)
}

/// Waits until the first node's answers have this difference from the second node's time.
async fn seen_to_differ(merchant: &TrialMerchant, [wrong, right]: [&str; 2], seconds: i64) -> Result<String> {
    let mut shown = 0;
    let differs = async || {
        shown = time_of(merchant, wrong).await? - time_of(merchant, right).await?;
        Ok((shown - seconds).abs() <= TOLERANCE_SECONDS)
    };
    let is_seen = happens_within(SEEN_WITHIN, differs).await?;
    let dated = format!("its answers are dated {shown:+} s");
    ensure!(is_seen, "the clock did not jump: {dated}");
    Ok(dated)
}

/// The date of a node's answer, in unix seconds.
async fn time_of(merchant: &TrialMerchant, node: &str) -> Result<i64> {
    let answer = merchant.http.get(format!("{node}/healthz")).send().await?;
    let date = answer.headers().get("date").context("no date")?.to_str()?;
    Ok(rfc2822::parse(date)?.timestamp().as_second())
}
