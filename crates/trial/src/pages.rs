//! How many pages per second one core serves, compared with nginx and the same bytes from a file, and the memory needed
//! (docs/budgets.md#speed). What the same server takes for a short answer and for a file is measured, too: a page
//! cannot take less.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::TrialError;
use crate::load::at_once;
use crate::nginx::Nginx;
use crate::page_load::{Asked, LoadAnswers, Over, SERVING, add_both, request};
use crate::process::{CardformProcess, Program};
use crate::shop::TrialMerchant;

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
/// How often short answers and files are asked for.
const ROUNDS: usize = 3;

/// The budgets (docs/budgets.md#speed, docs/budgets.md#memory).
const NGINX_RATIO_MIN: f64 = 0.5;
const HEALTH_RATIO_MIN: f64 = 1.0;
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
    let pages = different_pages(&program, &service).await?;
    let links: Vec<_> = pages.iter().map(DifferentPage::request).collect();
    let one_file = [request("/page.html", None)];
    let (health, empty) = ([request("/healthz", None)], [request("/empty", None)]);
    let nginx = Nginx::start(dir.path(), &document)?;
    let nginx_id = nginx.worker()?;
    let (our_address, their_address) = (address_of(&service.url)?, address_of(&nginx.url)?);
    let ours = |requests| Asked {
        server: our_address,
        id: service.id(),
        requests,
        over: Over::Http1,
    };
    let theirs = |requests| Asked {
        server: their_address,
        id: nginx_id,
        requests,
        over: Over::Http1,
    };

    // Every language is rendered before.
    LoadAnswers::default().add(&ours(&links))?;
    let (mut our_pages, mut their_pages) = (LoadAnswers::default(), LoadAnswers::default());
    let mut first_mb = None;
    while our_pages.answers < PAGES {
        add_both(
            (&ours(&links), &mut our_pages),
            (&theirs(&one_file), &mut their_pages),
        )?;
        if our_pages.answers >= PAGES_FIRST && first_mb.is_none() {
            first_mb = Some(memory_mb(&service)?);
        }
    }
    let after = memory_mb(&service)?;
    let (mut our_health, mut their_health) = (LoadAnswers::default(), LoadAnswers::default());
    let style = style_address(&document)?;
    let style_bytes = fetch(&http, &format!("{}{style}", service.url)).await?;
    let nginx_style = Nginx::start(&dir.path().join("style"), &style_bytes)?;
    let our_style = [request(&style, None)];
    let (mut our_files, mut their_files) = (LoadAnswers::default(), LoadAnswers::default());
    let nginx_packed = Nginx::start(&dir.path().join("packed"), &packed(&http, &address).await?)?;
    let packed_links: Vec<_> = pages.iter().map(DifferentPage::gzip_request).collect();
    let (mut our_packed, mut their_packed) = (LoadAnswers::default(), LoadAnswers::default());
    for _ in 0..ROUNDS {
        add_both(
            (&ours(&health), &mut our_health),
            (&theirs(&empty), &mut their_health),
        )?;
        add_both(
            (&ours(&our_style), &mut our_files),
            (&one_file_of(&nginx_style, &one_file)?, &mut their_files),
        )?;
        add_both(
            (&ours(&packed_links), &mut our_packed),
            (&one_file_of(&nginx_packed, &one_file)?, &mut their_packed),
        )?;
    }
    Ok(vec![
        json!({"name": "pages on one core", "measured": our_pages.per_second(), "unit": "/s", "ratio_min": NGINX_RATIO_MIN,
               "yardstick": {"name": "nginx, one such document", "measured": their_pages.per_second()}}),
        json!({"name": "processor time of a page", "measured": our_pages.microseconds(), "unit": "µs",
               "yardstick": {"name": "nginx, one such document", "measured": their_pages.microseconds()}}),
        json!({"name": "processor time of a page in gzip", "measured": our_packed.microseconds(), "unit": "µs",
               "yardstick": {"name": "nginx, a file of as many bytes", "measured": their_packed.microseconds()}}),
        json!({"name": "`/healthz` on one core", "measured": our_health.per_second(), "unit": "/s",
               "ratio_min": HEALTH_RATIO_MIN,
               "yardstick": {"name": "nginx, `return 200`", "measured": their_health.per_second()}}),
        json!({"name": "processor time of `/healthz`", "measured": our_health.microseconds(), "unit": "µs",
               "yardstick": {"name": "nginx, `return 200`", "measured": their_health.microseconds()}}),
        json!({"name": "processor time of the page's style, which is a file", "measured": our_files.microseconds(),
               "unit": "µs", "yardstick": {"name": "nginx, the same bytes", "measured": their_files.microseconds()}}),
        json!({"name": "a page rendered for the first time", "measured": first, "unit": "ms",
               "yardstick": {"name": "the same again, median", "measured": kept[kept.len() / 2]}}),
        json!({"name": "memory at idle", "measured": idle, "unit": "MB", "measured_max": IDLE_MB_MAX}),
        json!({"name": format!("memory after {PAGES} pages"), "measured": after, "unit": "MB", "ratio_max": GROWTH_MAX,
               "yardstick": {"name": format!("after {PAGES_FIRST}"), "measured": first_mb.unwrap_or(f64::NAN)}}),
        json!({"name": "start to first answer", "measured": start_ms, "unit": "ms", "measured_max": START_MS_MAX}),
    ])
}

/// nginx, asked for its file.
fn one_file_of<'a>(nginx: &Nginx, requests: &'a [Vec<u8>]) -> Result<Asked<'a>, TrialError> {
    Ok(Asked {
        server: address_of(&nginx.url)?,
        id: nginx.worker()?,
        requests,
        over: Over::Http1,
    })
}

/// A page as browsers get it.
async fn packed(http: &reqwest::Client, address: &str) -> Result<Vec<u8>, TrialError> {
    let request = http.get(address).header("accept-encoding", "gzip");
    answered(request).await
}

/// The path of the style that a page names.
fn style_address(document: &[u8]) -> Result<String, TrialError> {
    let document = String::from_utf8_lossy(document);
    let style = document
        .split('"')
        .find(|text| text.starts_with("/assets/") && text.contains(".css"));
    style
        .map(str::to_owned)
        .ok_or_else(|| TrialError::Answer("the page names no style".to_owned()))
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
    let mut answered = LoadAnswers::default();
    answered.add(&Asked {
        server: address_of(&nginx.url)?,
        id: nginx.worker()?,
        requests: &[request("/page.html", None)],
        over: Over::Http1,
    })?;
    Ok(answered.microseconds())
}

/// The address of a server's URL without a path.
pub(crate) fn address_of(url: &str) -> Result<SocketAddr, TrialError> {
    let address = url.split_once("://").map_or(url, |(_, address)| address).parse();
    address.map_err(|_| TrialError::Answer(format!("no address: {url}")))
}

pub(crate) fn write(file: &Path, text: &str) -> Result<(), TrialError> {
    std::fs::write(file, text).map_err(|cause| TrialError::Start(file.display().to_string(), cause))
}

/// A page that no other request asks for.
pub(crate) struct DifferentPage {
    pub(crate) path: String,
    cookie: String,
}

impl DifferentPage {
    pub(crate) fn request(&self) -> Vec<u8> {
        request(&self.path, Some(&self.cookie))
    }

    /// The same from a browser that unpacks gzip.
    pub(crate) fn gzip_request(&self) -> Vec<u8> {
        let cookie = format!("{}\r\nAccept-Encoding: gzip", self.cookie);
        request(&self.path, Some(&cookie))
    }
}

/// Pages in all languages in turn, each with a charge of its own.
pub(crate) async fn different_pages(
    program: &Program,
    service: &CardformProcess,
) -> Result<Vec<DifferentPage>, TrialError> {
    let merchant = TrialMerchant::new(&program.run(&["merchant", "add", "--name", "Shop"])?)?;
    let charges = at_once(LINKS, |number| {
        let (merchant, url) = (merchant.clone(), service.url.clone());
        async move { merchant.create(&url, &format!("order-{number}")).await }
    })
    .await?;
    let pages = charges.iter().zip(LOCALES.iter().cycle()).enumerate();
    Ok(pages
        .map(|(number, (charge, locale))| DifferentPage {
            path: format!("/{locale}?payload={}", charge.payload),
            cookie: format!("coda-cookie-id=visitor-{number}"),
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
    answered(http.get(address)).await
}

async fn answered(request: reqwest::RequestBuilder) -> Result<Vec<u8>, TrialError> {
    let failed = |cause: reqwest::Error| TrialError::Answer(cause.without_url().to_string());
    let answer = request.send().await.map_err(failed)?;
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
