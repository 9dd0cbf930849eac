//! How many pages per second one core serves, compared with nginx and the same bytes from a file, and the memory needed
//! (docs/budgets.md#speed).

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::TrialError;
use crate::load::at_once;
use crate::nginx::Nginx;
use crate::process::{CardformProcess, Program};
use crate::processor::processor_seconds;
use crate::shop::TrialMerchant;

/// How many clients send requests at the same time, and for how long.
pub(crate) const CLIENTS: &str = "32";
const SECONDS: &str = "5";
/// The core of the server, and the core of the clients.
pub(crate) const SERVING: &str = "0";
pub(crate) const ASKING: &str = "1";
/// How many different pages are asked for.
const LINKS: usize = 10_000;
const WRK: &str = include_str!("wrk.lua");
/// How many pages come before the first memory measurement, and before the second.
const PAGES_FIRST: u64 = 10_000;
const PAGES: u64 = 100_000;

/// The budgets (docs/budgets.md#speed, docs/budgets.md#memory).
const NGINX_RATIO_MIN: f64 = 0.5;
const IDLE_MB_MAX: f64 = 60.0;
const START_MS_MAX: f64 = 300.0;
/// How much the memory may grow after ten times as many pages: only the allocator's noise.
const GROWTH_MAX: f64 = 1.1;

/// The rows of the bench's table. Every request asks for another charge, with another cookie id, in one of all languages:
/// no answer is the same as one before.
pub async fn rows(binary: &Path) -> Result<Vec<Value>, TrialError> {
    let dir = tempfile::tempdir().map_err(|cause| TrialError::Start("a folder".to_owned(), cause))?;
    let program = Program::new(binary, dir.path()).on_core(SERVING);
    let begun = Instant::now();
    let service = serve(&program, &[])?;
    let http = reqwest::Client::builder().no_proxy().build();
    let http = http.map_err(|cause| TrialError::Answer(cause.to_string()))?;
    fetch(&http, &format!("{}/healthz", service.url)).await?;
    let start_ms = begun.elapsed().as_secs_f64() * 1_000.0;
    let idle = memory_mb(&service)?;

    let address = page(&program, &service, &[])?;
    let first = timed(&http, &address).await?;
    let mut kept = Vec::new();
    for _ in 0..101 {
        kept.push(timed(&http, &address).await?);
    }
    kept.sort_by(f64::total_cmp);
    let document = fetch(&http, &address).await?;
    let links = dir.path().join("links");
    let paths = different_pages(&program, &service, &String::from_utf8_lossy(&document)).await?;
    write(&links, &paths.join("\n"))?;
    let one_file = dir.path().join("one-file");
    write(&one_file, "/page.html\t")?;
    let script = dir.path().join("wrk.lua");
    write(&script, WRK)?;

    let nginx = Nginx::start(dir.path(), &document)?;
    // Every language is rendered before.
    asked(&service.url, &script, &links)?;
    // Alternates between the two, so that other load on the machine affects both.
    let (mut ours, mut theirs) = (0.0, 0.0);
    let (mut our_pages, mut their_pages) = (0, 0);
    let (mut our_seconds, mut their_seconds) = (0.0, 0.0);
    let mut first_mb = None;
    while our_pages < PAGES {
        let before = nginx.processor_seconds()?;
        let (per_second, served) = asked(&nginx.url, &script, &one_file)?;
        theirs = f64::max(theirs, per_second);
        their_pages += served;
        their_seconds += nginx.processor_seconds()? - before;

        let before = processor_seconds(service.id())?;
        let (per_second, served) = asked(&service.url, &script, &links)?;
        ours = f64::max(ours, per_second);
        our_pages += served;
        our_seconds += processor_seconds(service.id())? - before;
        if our_pages >= PAGES_FIRST && first_mb.is_none() {
            first_mb = Some(memory_mb(&service)?);
        }
    }
    let after = memory_mb(&service)?;
    Ok(vec![
        json!({"name": "pages on one core", "measured": ours, "unit": "/s", "ratio_min": NGINX_RATIO_MIN,
               "yardstick": {"name": "nginx, one such document", "measured": theirs}}),
        json!({"name": "processor time of a page", "measured": microseconds(our_seconds, our_pages), "unit": "µs",
               "yardstick": {"name": "nginx, one such document",
                             "measured": microseconds(their_seconds, their_pages)}}),
        json!({"name": "a page rendered for the first time", "measured": first, "unit": "ms",
               "yardstick": {"name": "the same again, median", "measured": kept[kept.len() / 2]}}),
        json!({"name": "memory at idle", "measured": idle, "unit": "MB", "measured_max": IDLE_MB_MAX}),
        json!({"name": format!("memory after {PAGES} pages"), "measured": after, "unit": "MB", "ratio_max": GROWTH_MAX,
               "yardstick": {"name": format!("after {PAGES_FIRST}"), "measured": first_mb.unwrap_or(f64::NAN)}}),
        json!({"name": "start to first answer", "measured": start_ms, "unit": "ms", "measured_max": START_MS_MAX}),
    ])
}

/// The processor time that nginx takes for a file of a page's bytes, in microseconds.
pub(crate) async fn nginx_page_us(binary: &Path, dir: &Path) -> Result<f64, TrialError> {
    let dir = dir.join("page");
    std::fs::create_dir(&dir).map_err(|cause| TrialError::Start("a folder".to_owned(), cause))?;
    let program = Program::new(binary, &dir);
    let service = serve(&program, &[])?;
    let http = reqwest::Client::builder().no_proxy().build();
    let http = http.map_err(|cause| TrialError::Answer(cause.to_string()))?;
    let address = page(&program, &service, &[])?;
    let nginx = Nginx::start(&dir, &fetch(&http, &address).await?)?;
    let (script, file) = (dir.join("wrk.lua"), dir.join("one-file"));
    write(&script, WRK)?;
    write(&file, "/page.html\t")?;
    let before = nginx.processor_seconds()?;
    let (_, served) = asked(&nginx.url, &script, &file)?;
    Ok(microseconds(nginx.processor_seconds()? - before, served))
}

#[expect(clippy::cast_precision_loss, reason = "some millions are far below 2^52")]
pub(crate) fn microseconds(seconds: f64, of: u64) -> f64 {
    seconds * 1e6 / of.max(1) as f64
}

pub(crate) fn write(file: &Path, text: &str) -> Result<(), TrialError> {
    std::fs::write(file, text).map_err(|cause| TrialError::Start(file.display().to_string(), cause))
}

/// The path and the cookie of each page: each has a charge of its own, and the languages take turns. The document of one
/// page names the addresses of all languages.
pub(crate) async fn different_pages(
    program: &Program,
    service: &CardformProcess,
    document: &str,
) -> Result<Vec<String>, TrialError> {
    let languages: Vec<String> = document
        .split("hreflang=\"")
        .skip(1)
        .filter_map(|link| link.split("href=\"").nth(1)?.split('"').next().map(str::to_owned))
        .collect();
    if languages.is_empty() {
        return Err(TrialError::Answer("no links to other languages".to_owned()));
    }
    let merchant = TrialMerchant::new(&program.run(&["merchant", "add", "--name", "Shop"])?)?;
    let charges = at_once(LINKS, |number| {
        let (merchant, url) = (merchant.clone(), service.url.clone());
        async move { merchant.create(&url, &format!("order-{number}")).await }
    })
    .await?;
    let pages = charges.iter().zip(languages.iter().cycle()).enumerate();
    Ok(pages
        .map(|(number, (charge, language))| {
            let path = language.split('?').next().unwrap_or(language);
            format!(
                "{path}?payload={}\tcoda-cookie-id=visitor-{number}",
                charge.payload
            )
        })
        .collect())
}

/// Starts the service with these settings.
pub(crate) fn serve(program: &Program, settings: &[&str]) -> Result<CardformProcess, TrialError> {
    // Nothing is paid, so no provider is needed.
    let provider = ["--provider-url", "http://127.0.0.1:9"];
    program.serve(
        &[
            &["serve", "--create", "--listen", "127.0.0.1:0"][..],
            &provider,
            settings,
        ]
        .concat(),
    )
}

/// The address of the payment page of a new charge.
pub(crate) fn page(
    program: &Program,
    service: &CardformProcess,
    settings: &[&str],
) -> Result<String, TrialError> {
    let added = program.run(&[&["merchant", "add", "--name", "Shop"][..], settings].concat())?;
    let partner = added["partner_id"].as_str().unwrap_or_default();
    let charge = [
        "charge",
        "create",
        "--partner-id",
        partner,
        "--item-code",
        "gems-100",
        "--item-name",
        "100 gems",
        "--amount-value",
        "12.50",
        "--amount-currency",
        "USD",
        "--partner-reference",
        "order-1",
    ];
    let created = program.run(&[&charge[..], settings].concat())?;
    let payload = created["payload"].as_str();
    let payload = payload.ok_or_else(|| TrialError::Answer("no payload".to_owned()))?;
    Ok(format!("{}/?payload={payload}", service.url))
}

pub(crate) async fn fetch(http: &reqwest::Client, address: &str) -> Result<Vec<u8>, TrialError> {
    let failed = |cause: reqwest::Error| TrialError::Answer(cause.without_url().to_string());
    let answer = http.get(address).send().await.map_err(failed)?;
    let answer = answer.error_for_status().map_err(failed)?;
    Ok(answer.bytes().await.map_err(failed)?.to_vec())
}

/// In milliseconds.
pub(crate) async fn timed(http: &reqwest::Client, address: &str) -> Result<f64, TrialError> {
    let begun = Instant::now();
    fetch(http, address).await?;
    Ok(begun.elapsed().as_secs_f64() * 1_000.0)
}

/// Resident memory of the process.
pub(crate) fn memory_mb(process: &CardformProcess) -> Result<f64, TrialError> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()))
        .map_err(|cause| TrialError::Start("/proc".to_owned(), cause))?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kilobytes
        .map(|kilobytes| kilobytes * 1_024.0 / 1e6)
        .ok_or_else(|| TrialError::Answer("no memory in /proc".to_owned()))
}

/// Requests per second, and how many were answered.
fn asked(url: &str, script: &Path, links: &Path) -> Result<(f64, u64), TrialError> {
    let said = run(Command::new("taskset")
        .args(["-c", ASKING, "wrk", "-t", "1", "-c", CLIENTS, "-d", SECONDS, "-s"])
        .arg(script)
        .args([url, "--"])
        .arg(links))?;
    if said.contains("Non-2xx") || said.contains("Socket errors") {
        return Err(TrialError::Answer(said));
    }
    let per_second = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("Requests/sec:")?.trim().parse().ok());
    let served = said
        .lines()
        .find_map(|line| line.trim().split_once(" requests in")?.0.parse().ok());
    per_second
        .zip(served)
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
