//! How many pages per second one core serves, compared with nginx and the same bytes from a file, and the memory needed
//! (docs/budgets.md#speed).

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::TrialError;
use crate::process::{CardformProcess, Program};

/// How many clients send requests at the same time, and for how long.
const CLIENTS: &str = "32";
const SECONDS: &str = "5";
/// The core of the server, and the core of the clients.
const SERVING: &str = "0";
const ASKING: &str = "1";
/// How many pages come before the first memory measurement, and before the second.
const PAGES_FIRST: u64 = 10_000;
const PAGES: u64 = 100_000;

/// The budgets (docs/budgets.md#speed, docs/budgets.md#memory).
const NGINX_RATIO_MIN: f64 = 0.5;
const IDLE_MB_MAX: f64 = 60.0;
const START_MS_MAX: f64 = 300.0;
/// How much the memory may grow after ten times as many pages: only the allocator's noise.
const GROWTH_MAX: f64 = 1.1;

/// The rows of the bench's table.
pub async fn rows(binary: &Path) -> Result<Vec<Value>, TrialError> {
    let dir = tempfile::tempdir().map_err(|cause| TrialError::Start("a folder".to_owned(), cause))?;
    let program = Program::new(binary, dir.path());
    let begun = Instant::now();
    let service = serve(&program)?;
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

    pin(&service)?;
    let nginx = Nginx::start(dir.path(), &document)?;
    // Alternates between the two, so that other load on the machine affects both.
    let (mut ours, mut theirs) = (0.0, 0.0);
    let mut pages = 0;
    let mut first_mb = None;
    while pages < PAGES {
        theirs = f64::max(theirs, asked(&nginx.url)?.0);
        let (per_second, served) = asked(&address)?;
        ours = f64::max(ours, per_second);
        pages += served;
        if pages >= PAGES_FIRST && first_mb.is_none() {
            first_mb = Some(memory_mb(&service)?);
        }
    }
    let after = memory_mb(&service)?;
    Ok(vec![
        json!({"name": "pages on one core", "measured": ours, "unit": "/s", "ratio_min": NGINX_RATIO_MIN,
               "yardstick": {"name": "nginx, the same bytes", "measured": theirs}}),
        json!({"name": "a page rendered for the first time", "measured": first, "unit": "ms",
               "yardstick": {"name": "the same again, median", "measured": kept[kept.len() / 2]}}),
        json!({"name": "memory at idle", "measured": idle, "unit": "MB", "measured_max": IDLE_MB_MAX}),
        json!({"name": format!("memory after {PAGES} pages"), "measured": after, "unit": "MB", "ratio_max": GROWTH_MAX,
               "yardstick": {"name": format!("after {PAGES_FIRST}"), "measured": first_mb.unwrap_or(f64::NAN)}}),
        json!({"name": "start to first answer", "measured": start_ms, "unit": "ms", "measured_max": START_MS_MAX}),
    ])
}

fn serve(program: &Program) -> Result<CardformProcess, TrialError> {
    // Nothing is paid, so no provider is needed.
    let provider = ["--provider-url", "http://127.0.0.1:9"];
    program.serve(&[&["serve", "--create", "--listen", "127.0.0.1:0"][..], &provider].concat())
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

async fn fetch(http: &reqwest::Client, address: &str) -> Result<Vec<u8>, TrialError> {
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

/// Pins every thread of the process to one core.
fn pin(process: &CardformProcess) -> Result<(), TrialError> {
    let id = process.id().to_string();
    run(Command::new("taskset").args(["-a", "-c", "-p", SERVING, &id])).map(|_| ())
}

/// Requests per second, and how many were answered.
fn asked(address: &str) -> Result<(f64, u64), TrialError> {
    let said = run(Command::new("taskset").args([
        "-c", ASKING, "wrk", "-t", "1", "-c", CLIENTS, "-d", SECONDS, address,
    ]))?;
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

/// nginx with one worker on the serving core; ended when it is dropped.
struct Nginx {
    child: Child,
    url: String,
}

impl Nginx {
    fn start(dir: &Path, document: &[u8]) -> Result<Self, TrialError> {
        let failed =
            |cause| TrialError::Start("nginx (on Debian: apt-get install nginx-light)".to_owned(), cause);
        let root = dir.join("nginx");
        std::fs::create_dir_all(root.join("html")).map_err(failed)?;
        std::fs::write(root.join("html/page.html"), document).map_err(failed)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .map_err(failed)?
            .port();
        let shown = root.display();
        let config = format!(
            "worker_processes 1; worker_cpu_affinity 01; daemon off; user root; pid {shown}/pid; error_log stderr;\n\
             events {{ worker_connections 256; }}\n\
             http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; types {{ text/html html; }}\n\
             client_body_temp_path {shown}/body; proxy_temp_path {shown}/proxy; fastcgi_temp_path {shown}/fastcgi;\n\
             uwsgi_temp_path {shown}/uwsgi; scgi_temp_path {shown}/scgi; open_file_cache max=10;\n\
             server {{ listen 127.0.0.1:{port}; root {shown}/html; }} }}\n"
        );
        let file = root.join("nginx.conf");
        std::fs::write(&file, config).map_err(failed)?;
        let child = Command::new("nginx")
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let nginx = Self {
            child,
            url: format!("http://127.0.0.1:{port}/page.html"),
        };
        let deadline = Instant::now() + Duration::from_secs(10);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > deadline {
                return Err(TrialError::NotReady(
                    "nginx".to_owned(),
                    "it does not listen".to_owned(),
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(nginx)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM makes the master process end its worker, too; after SIGKILL the worker would stay.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}
