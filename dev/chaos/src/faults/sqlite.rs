//! Faults of a SQLite file, with one node: the file cannot be written, its disk is full, its disk hangs.

use anyhow::{Context, Result, ensure};
use harness::postgres_programs::is_root;
use harness::process::Program;
use harness::shop::TrialMerchant;
use harness::waiting::happens_within;
use tokio::time::{Duration, Instant, sleep};

use crate::small_disk::SmallDisk;
use crate::suffering::{LASTS, SufferingService, sum_of};
use crate::surroundings::Surroundings;

const DISK_MEGABYTES: u64 = 32;
/// The lower disk has the file of the upper one, which hangs while the lower one is frozen.
const LOWER_DISK_MEGABYTES: u64 = 2 * DISK_MEGABYTES;
/// How often the node must answer while the disk hangs, and the pause between two requests.
const ANSWERS: u32 = 100;
const ANSWERS_PAUSE: Duration = Duration::from_millis(50);
/// A payment page has this text, and an error page does not.
const FORM: &str = "\"page\":\"form\"";
/// How long a node may take until it says that it is not ready.
const NOTICED_WITHIN: Duration = Duration::from_secs(30);
const FILE: &str = "cardform.db";
/// The database and its log. The third file is only mapped into memory, and a process that writes to a mapped file which has
/// become immutable is killed by the system.
const WRITTEN: [&str; 2] = [FILE, "cardform.db-wal"];

/// Runs the drill. Only root can mount a small disk.
pub(super) async fn drill(program: Program, seed: u64) -> Result<()> {
    if !is_root() {
        eprintln!("not tried, because only root can mount a small disk: faults of SQLite's file and disk");
        return Ok(());
    }
    // Declared first, because it is unmounted last.
    let lower = SmallDisk::mount(&program.dir, LOWER_DISK_MEGABYTES)?;
    let disk = SmallDisk::mount(&lower.folder, DISK_MEGABYTES)?;
    let database = format!("sqlite:{}", disk.folder.join(FILE).display());
    let around = Surroundings::start(program, &database).await?;
    let node = around.node().await?;
    let watched = WatchedNode {
        merchant: around.merchant.clone(),
        url: node.url.clone(),
    };
    let mut service = SufferingService::start(around, vec![node.url.clone()], seed).await?;
    let immutable = async {
        disk.set_immutable(&WRITTEN, true)?;
        let noticed = watched.not_ready().await;
        disk.set_immutable(&WRITTEN, false)?;
        noticed
    };
    service
        .suffer("SQLite's files cannot be written (`chattr +i`)", immutable)
        .await?;
    watched.ready_again().await?;
    let full = async {
        disk.fill()?;
        let noticed = watched.not_ready().await;
        disk.empty()?;
        noticed
    };
    service.suffer("SQLite's disk is full", full).await?;
    watched.ready_again().await?;
    let created = watched.merchant.create(&watched.url, "before-the-disk-hangs");
    let charge = created.await.context("no charge")?;
    let page = format!("{}/?payload={}", watched.url, charge.payload);
    let hangs = async {
        let frozen = lower.freeze()?;
        let answered = watched.answers(&page).await;
        let noticed = watched.not_ready().await;
        drop(frozen);
        Ok(format!("{}; then {}", answered?, noticed?))
    };
    service.suffer("SQLite's disk hangs (`fsfreeze`)", hangs).await?;
    service.end().await
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

    /// Waits until it is ready after the last fault.
    async fn ready_again(&self) -> Result<()> {
        let is_ready = happens_within(NOTICED_WITHIN, async || self.is_ready().await).await?;
        ensure!(is_ready, "the node does not become ready again");
        Ok(())
    }

    /// Requests `/healthz` and a charge's page again and again, which need no disk. Each request must be answered.
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
        let is_noticed = happens_within(NOTICED_WITHIN, async || Ok(!self.is_ready().await?)).await?;
        ensure!(is_noticed, "SQLite did not fail: the node stayed ready");
        let noticed = begin.elapsed().as_secs_f64();
        sleep(LASTS).await;
        Ok(format!("the node was not ready after {noticed:.1} s"))
    }
}
