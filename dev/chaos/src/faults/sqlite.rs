//! Faults of a SQLite file: another program locks it, it cannot be written, its disk is full, its disk hangs.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use harness::postgres_programs::is_root;
use harness::process::Program;
use harness::shop::TrialMerchant;
use rusqlite::Connection;
use tokio::time::{Duration, Instant, sleep};

use super::{LASTS, SufferedFaults, SufferingService, not_seen, seen_within, sum_of};
use crate::killed_nodes::Surroundings;
use crate::node::Node;
use crate::small_disk::SmallDisk;

const DISK_MEGABYTES: u64 = 32;
/// The disk with the file of the other one, which hangs if this one stands still.
const DISK_BELOW_MEGABYTES: u64 = 2 * DISK_MEGABYTES;
/// How often the node must answer while the disk hangs, and the pause between two requests.
const ANSWERS: u32 = 100;
const ANSWERS_PAUSE: Duration = Duration::from_millis(50);
/// What a payment page has, and a page with an error has not.
const FORM: &str = "\"page\":\"form\"";
/// How long a node may take until it says that it is not ready.
const NOTICED_WITHIN: Duration = Duration::from_secs(30);
const FILE: &str = "cardform.db";
/// The database and its log. The third file is only mapped into memory, and a process that writes to a mapped file which has
/// become immutable is killed by the system.
const WRITTEN: [&str; 2] = [FILE, "cardform.db-wal"];

/// Runs the drill in `dir`, with one node.
pub(super) async fn drill(binary: &Path, dir: &Path, seed: u64, all: &mut SufferedFaults) -> Result<()> {
    let disks = if is_root() {
        let below = SmallDisk::mount(dir, DISK_BELOW_MEGABYTES)?;
        Some((SmallDisk::mount(&below.folder, DISK_MEGABYTES)?, below))
    } else {
        None
    };
    let folder = disks.as_ref().map_or(dir, |(disk, _)| &disk.folder);
    let file = folder.join(FILE);
    let database = format!("sqlite:{}", file.display());
    let program = Program::new(binary, dir);
    let around = Surroundings::start(&program, &database).await?;
    let nodes = [Node::start(&program, around.node(&database)).await?];
    let watched = WatchedNode {
        merchant: around.merchant.clone(),
        url: nodes[0].url(),
    };
    if disks.is_none() {
        all.left_out.push(
            "SQLite's file is read-only, its disk is full, its disk hangs: only root can mount a small disk",
        );
    }
    let mut service = SufferingService::start(around, &nodes, seed, all).await?;
    service
        .suffer("another program holds SQLite's write lock", async || {
            watched.ready_again().await?;
            let held = lock(&file)?;
            let noticed = watched.not_ready().await;
            drop(held);
            noticed
        })
        .await?;
    // Borrowed, so that the upper one is unmounted first.
    let Some((disk, below)) = &disks else {
        return service.end(1).await;
    };
    service
        .suffer("SQLite's files cannot be written (`chattr +i`)", async || {
            watched.ready_again().await?;
            disk.set_immutable(&WRITTEN, true)?;
            let noticed = watched.not_ready().await;
            disk.set_immutable(&WRITTEN, false)?;
            noticed
        })
        .await?;
    service
        .suffer("SQLite's disk is full", async || {
            watched.ready_again().await?;
            disk.fill()?;
            let noticed = watched.not_ready().await;
            disk.empty()?;
            noticed
        })
        .await?;
    service
        .suffer("SQLite's disk hangs (`fsfreeze`)", async || {
            watched.ready_again().await?;
            let charge = watched
                .merchant
                .create(&watched.url, "before-the-disk-hangs")
                .await;
            let charge = charge.context("no charge")?;
            let page = format!("{}/?payload={}", watched.url, charge.payload);
            let hangs = below.freeze()?;
            let answered = watched.answers(&page).await;
            let noticed = watched.not_ready().await;
            drop(hangs);
            Ok(format!("{}; then {}", answered?, noticed?))
        })
        .await?;
    service.end(4).await
}

/// A node whose readiness is watched.
struct WatchedNode {
    merchant: TrialMerchant,
    url: String,
}

impl WatchedNode {
    /// Whether it says that it is ready.
    async fn is_ready(&self) -> Result<bool> {
        let metrics = self.merchant.text(&format!("{}/metrics", self.url)).await?;
        Ok(sum_of(&metrics, "cardform_ready ") > 0)
    }

    /// Waits until it is ready after the fault before.
    async fn ready_again(&self) -> Result<()> {
        let ready = seen_within(NOTICED_WITHIN, async || Ok(u64::from(self.is_ready().await?))).await?;
        ensure!(ready > 0, "the node does not become ready again");
        Ok(())
    }

    /// Asks again and again for `/healthz` and for a charge's page, which need no disk. All must be answered, over older
    /// connections, too.
    async fn answers(&self, page: &str) -> Result<String> {
        let begin = Instant::now();
        let alive = format!("{}/healthz", self.url);
        for _ in 0..ANSWERS {
            self.merchant.text(&alive).await?;
            ensure!(
                self.merchant.text(page).await?.contains(FORM),
                "a page without a form"
            );
            sleep(ANSWERS_PAUSE).await;
        }
        let took = begin.elapsed().as_secs_f64();
        Ok(format!("{ANSWERS} pages came in {took:.1} s"))
    }

    /// Waits until it says that it is not ready, and then for as long as a fault lasts.
    async fn not_ready(&self) -> Result<String> {
        let begin = Instant::now();
        let seen = seen_within(NOTICED_WITHIN, async || Ok(u64::from(!self.is_ready().await?))).await?;
        if seen == 0 {
            bail!(not_seen("a fault of SQLite", "the node stayed ready"));
        }
        let noticed = begin.elapsed().as_secs_f64();
        sleep(LASTS).await;
        Ok(format!("the node was not ready after {noticed:.1} s"))
    }
}

/// A connection with a write transaction, which ends when it is dropped.
fn lock(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(LASTS)?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    Ok(connection)
}
