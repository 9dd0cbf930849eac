//! How many pages per second one core serves, compared with nginx and the same bytes from a file, how soon the service
//! answers after its start, and the memory it needs (docs/budgets.md#speed).

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use harness::process::{CardformProcess, Program};
use harness::shop::TrialMerchant;
use reqwest::Client;
use serde_json::{Value, json};

use crate::nginx::Nginx;
use crate::page_load::{Asked, LoadAnswers, SERVING, request};

/// How many different pages are asked for.
const LINKS: usize = 10_000;
/// How many pages come before the first memory measurement, and before the second.
const PAGES_FIRST: u64 = 10_000;
const PAGES: u64 = 100_000;
/// The page's locales, as its addresses name them.
const LOCALES: [&str; 31] = [
    "en-US", "th-TH", "ar-SA", "ar-AE", "in-ID", "ja-JP", "es-ES", "es-AR", "es-CL", "es-CO", "es-PE",
    "zh-TW", "zh-HK", "tl-PH", "km-KH", "de-DE", "fr-FR", "ru-RU", "my-MM", "vi-VN", "lo-LA", "it-IT",
    "ro-RO", "hu-HU", "nl-NL", "pl-PL", "pt-PT", "ko-KR", "cs-CZ", "ku-KZ", "sk-SK",
];
/// Nothing is paid, so no provider is needed.
const SERVE: &str = "serve --create --provider-url http://127.0.0.1:9";

/// The budgets (docs/budgets.md#speed, docs/budgets.md#memory).
const NGINX_RATIO_MIN: f64 = 0.5;
const IDLE_MB_MAX: f64 = 60.0;
const START_MS_MAX: f64 = 300.0;
/// How much the memory may grow after ten times as many pages. Only the allocator may need a little more.
const GROWTH_MAX: f64 = 1.1;

/// The rows of the bench's table. Every request asks for another charge, with another cookie id, in one of all languages,
/// so no two answers are the same.
pub(crate) async fn rows(binary: &Path) -> Result<Vec<Value>> {
    let dir = tempfile::tempdir()?;
    let program =
        Program::new(binary, dir.path()).started_by(["taskset", "-c", SERVING].map(str::to_owned).to_vec());
    let http = Client::builder().no_proxy().build()?;
    let begun = Instant::now();
    let service = program.serve(SERVE)?;
    http.get(format!("{}/healthz", service.url))
        .send()
        .await?
        .error_for_status()?;
    let start_ms = begun.elapsed().as_secs_f64() * 1_000.0;
    let idle = memory_mb(&service)?;

    let merchant = TrialMerchant::new(&program.run("merchant add --name Shop")?)?;
    let nginx = nginx_with_a_page(dir.path(), &merchant, &service).await?;
    let links = different_pages(&merchant, &service).await?;
    let ours = Asked {
        server: service.url.trim_start_matches("http://").parse()?,
        id: service.id(),
        requests: &links,
    };
    let file = [request("/page.html", "")];
    let theirs = nginx_asked(&nginx, &file);
    // The first round renders every language.
    LoadAnswers::default().add(&ours)?;
    let (mut our_pages, mut their_pages) = (LoadAnswers::default(), LoadAnswers::default());
    let mut first_mb = None;
    while our_pages.answers < PAGES {
        // In turns, so that other load on the machine affects both.
        their_pages.add(&theirs)?;
        our_pages.add(&ours)?;
        if our_pages.answers >= PAGES_FIRST && first_mb.is_none() {
            first_mb = Some(memory_mb(&service)?);
        }
    }
    let after = memory_mb(&service)?;
    service.end().await?;
    Ok(vec![
        json!({"name": "pages on one core", "measured": our_pages.per_second(), "unit": "/s", "ratio_min": NGINX_RATIO_MIN,
               "yardstick": {"name": "nginx, one such document", "measured": their_pages.per_second()}}),
        json!({"name": "memory at idle", "measured": idle, "unit": "MB", "measured_max": IDLE_MB_MAX}),
        json!({"name": format!("memory after {PAGES} pages"), "measured": after, "unit": "MB", "ratio_max": GROWTH_MAX,
               "yardstick": {"name": format!("after {PAGES_FIRST}"), "measured": first_mb.unwrap_or(f64::NAN)}}),
        json!({"name": "start to first answer", "measured": start_ms, "unit": "ms", "measured_max": START_MS_MAX}),
    ])
}

/// The processor time that nginx takes for a file with a page's bytes, in microseconds.
pub(crate) async fn nginx_page_us(binary: &Path) -> Result<f64> {
    let dir = tempfile::tempdir()?;
    let program = Program::new(binary, dir.path());
    let service = program.serve(SERVE)?;
    let merchant = TrialMerchant::new(&program.run("merchant add --name Shop")?)?;
    let nginx = nginx_with_a_page(dir.path(), &merchant, &service).await?;
    let mut answered = LoadAnswers::default();
    answered.add(&nginx_asked(&nginx, &[request("/page.html", "")]))?;
    Ok(answered.microseconds())
}

/// nginx with the page of a new charge as its file.
async fn nginx_with_a_page(dir: &Path, merchant: &TrialMerchant, service: &CardformProcess) -> Result<Nginx> {
    let charge = merchant
        .create(&service.url, "nginx")
        .await
        .context("no charge")?;
    let page = merchant
        .text(&format!("{}/?payload={}", service.url, charge.payload))
        .await?;
    Nginx::start(dir, page.as_bytes())
}

fn nginx_asked<'a>(nginx: &Nginx, requests: &'a [Vec<u8>]) -> Asked<'a> {
    Asked {
        server: nginx.address,
        id: nginx.worker(),
        requests,
    }
}

/// Requests for pages in all languages in turn, each with a charge and a cookie id of its own.
async fn different_pages(merchant: &TrialMerchant, service: &CardformProcess) -> Result<Vec<Vec<u8>>> {
    let charges = merchant.create_many(&service.url, LINKS).await?;
    let pages = charges.iter().zip(LOCALES.iter().cycle()).enumerate();
    Ok(pages
        .map(|(number, (charge, locale))| {
            let path = format!("/{locale}?payload={}", charge.payload);
            request(&path, &format!("coda-cookie-id=visitor-{number}"))
        })
        .collect())
}

/// Resident memory of the process.
fn memory_mb(process: &CardformProcess) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()))?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = resident.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    Ok(kilobytes.context("no memory in /proc")? * 1_024.0 / 1e6)
}
