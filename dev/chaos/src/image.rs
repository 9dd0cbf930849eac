//! Starts the image as a container does: its own file system, read-only, with the files of secrets and one folder that can be
//! written, a user that is not root, no capabilities, no environment. Without a network of its own, because what it connects to
//! is on this machine.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Client;
use tokio::time::sleep;

use harness::TrialError;
use harness::postgres::Postgres;
use harness::process::{CardformProcess, Program};
use harness::shop::TrialMerchant;
use harness::test_cards::GOOD_CARD;

/// Where the binary is in the image.
const BINARY: &str = "usr/bin/cardform";
/// The image's user, who is nobody on this machine.
const USER: &str = "65532";
/// Where the secrets are, and the folder that can be written, as in ops/kubernetes and ops/compose.
const SECRETS: &str = "/etc/cardform";
const STATE: &str = "/var/lib/cardform";
const SETTINGS: &str = "/etc/cardform/cardform.toml";
/// How the database is reached in ops/cardform.toml.
const DATABASE_TLS: &str = "sslmode=verify-full&sslrootcert=/etc/cardform/postgres-root.pem";
/// The names of hosts, which container runtimes bring.
const HOSTS: &str = "/etc/hosts";
/// How long `/readyz` says no before the service closes.
const DRAIN_MS: &str = "1500";
/// How long a start or an end may take on a busy machine.
const TIME_MAX: Duration = Duration::from_mins(1);
/// How often something that is waited for is looked at.
const LOOK_PAUSE: Duration = Duration::from_millis(50);

/// The unpacked image with what is mounted into it.
struct Container {
    root: PathBuf,
    secrets: PathBuf,
    state: PathBuf,
}

/// Migrates, adds a merchant, serves, pays and ends, as the commands of docs/operating.md do. `binary` is the one in the
/// unpacked image, `settings` the file of ops/.
pub async fn run(binary: &Path, settings: &Path) -> Result<(), TrialError> {
    let root = binary
        .ancestors()
        .nth(Path::new(BINARY).components().count())
        .ok_or_else(|| failed("the image", "its binary is not at usr/bin/cardform"))?;
    let dir = tempfile::tempdir().map_err(|cause| TrialError::Start("a folder".to_owned(), cause))?;
    let container = Container {
        root: copied(root, &dir.path().join("root"))?,
        secrets: dir.path().join("secrets"),
        state: dir.path().join("state"),
    };
    container.has_no_shell()?;
    container.prepare(dir.path(), settings)?;
    let image = container.program(dir.path());
    let (certificate, key) = container.certificate(dir.path())?;
    let postgres = Postgres::start_encrypted(&certificate, &key)?;
    let database = format!("{}?{DATABASE_TLS}", postgres.new_database_at_port()?);

    nothing_else_can_be_written(&image)?;
    let with_settings = ["--config", SETTINGS, "--database", &database];
    image.run(&[&["migrate"][..], &with_settings].concat())?;
    let merchant = TrialMerchant::new(
        &image.run(&[&["merchant", "add", "--name", "Shop"][..], &with_settings].concat())?,
    )?;
    starts_with_the_providers_certificates(&image, &with_settings).await?;

    let simulator = image.serve(&["simulator", "--listen", "127.0.0.1:0"])?;
    let local = [
        "--listen",
        "127.0.0.1:0",
        "--strict-permissions",
        "--drain-ms",
        DRAIN_MS,
    ];
    let provider = ["--provider", "simulator", "--provider-url", &simulator.url];
    let service = image.serve(&[&["serve"][..], &with_settings, &local, &provider].concat())?;
    pays(&merchant, &service).await?;
    ends_as_it_should(service).await?;
    println!("the image: migrated, served a page, took a payment and ended after its last request");
    Ok(())
}

/// A copy of the unpacked image where the image's user can reach it; a checkout may be in a folder that only its owner may enter.
fn copied(root: &Path, to: &Path) -> Result<PathBuf, TrialError> {
    let copy = Command::new("cp").arg("--archive").args([root, to]).output();
    let copy = copy.map_err(|cause| TrialError::Start("cp".to_owned(), cause))?;
    if !copy.status.success() {
        return Err(failed("cp", &String::from_utf8_lossy(&copy.stderr)));
    }
    Ok(to.to_owned())
}

impl Container {
    /// Writes the secrets as Kubernetes does: root's, readable by the image's group. Makes the places where something is
    /// mounted, as container runtimes do.
    fn prepare(&self, dir: &Path, settings: &Path) -> Result<(), TrialError> {
        let write = |cause| TrialError::Start("the files of the image's trial".to_owned(), cause);
        let places = ["/proc", "/dev", SECRETS, STATE].map(|place| self.place(Path::new(place)));
        for folder in places.iter().chain([&self.secrets, &self.state]) {
            std::fs::create_dir_all(folder).map_err(write)?;
        }
        std::fs::write(self.place(Path::new(HOSTS)), "").map_err(write)?;
        let keys = Program::new(&self.root.join(BINARY), dir).run(&["key", "generate"])?;
        let secrets = [
            ("vault-keys", keys["key"].as_str().unwrap_or_default()),
            ("provider-key", "sk_test_0123456789abcdef"),
            ("operator-key", "0123456789abcdefghijklmnopqrstuv"),
        ];
        std::fs::copy(settings, self.secrets.join("cardform.toml")).map_err(write)?;
        for (name, content) in secrets {
            std::fs::write(self.secrets.join(name), content).map_err(write)?;
        }
        for entry in std::fs::read_dir(&self.secrets).map_err(write)? {
            let path = entry.map_err(write)?.path();
            std::fs::set_permissions(&path, Permissions::from_mode(0o440)).map_err(write)?;
        }
        for (path, mode) in [(dir, 0o755), (&self.secrets, 0o755), (&self.state, 0o700)] {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).map_err(write)?;
        }
        if is_root() {
            owned(&self.state, &format!("{USER}:{USER}"))?;
            owned(&self.secrets, &format!("root:{USER}"))?;
        }
        Ok(())
    }

    /// A certificate for the database, which the image believes, and its key.
    fn certificate(&self, dir: &Path) -> Result<(PathBuf, PathBuf), TrialError> {
        let [certificate, key] = ["postgres.pem", "postgres-key.pem"].map(|name| dir.join(name));
        let mut openssl = Command::new("openssl");
        openssl.args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
        ]);
        openssl.args(["-nodes", "-days", "2", "-subj", "/CN=localhost"]);
        openssl.args(["-addext", "subjectAltName=DNS:localhost"]);
        openssl.args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"]);
        openssl.arg(&key).arg("-out").arg(&certificate);
        let openssl = openssl.stdin(Stdio::null()).output();
        let made = openssl.map_err(|cause| TrialError::Start("openssl".to_owned(), cause))?;
        if !made.status.success() {
            return Err(failed("openssl", &String::from_utf8_lossy(&made.stderr)));
        }
        let root = self.secrets.join("postgres-root.pem");
        std::fs::copy(&certificate, &root).map_err(|cause| TrialError::Start("a copy".to_owned(), cause))?;
        Ok((certificate, key))
    }

    /// Where a path of the image is on this machine.
    fn place(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The image's binary in the image's file system.
    fn program(&self, dir: &Path) -> Program {
        let mut words: Vec<OsString> = Vec::new();
        let mut add = |some: &[&str]| words.extend(some.iter().map(OsString::from));
        let [root, secrets, state] =
            [&self.root, &self.secrets, &self.state].map(|path| path.display().to_string());
        if is_root() {
            add(&["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"]);
        }
        add(&["bwrap", "--ro-bind", &root, "/", "--ro-bind", &secrets, SECRETS]);
        add(&["--bind", &state, STATE, "--proc", "/proc", "--dev", "/dev"]);
        add(&["--ro-bind", HOSTS, HOSTS]);
        add(&[
            "--unshare-user",
            "--unshare-pid",
            "--as-pid-1",
            "--uid",
            USER,
            "--gid",
            USER,
        ]);
        add(&[
            "--cap-drop",
            "ALL",
            "--die-with-parent",
            "--clearenv",
            "--chdir",
            STATE,
        ]);
        Program::new(&Path::new("/").join(BINARY), dir).started_by(words)
    }

    fn has_no_shell(&self) -> Result<(), TrialError> {
        let found = ["bin", "sbin", "usr/sbin", "usr/bin/sh", "usr/bin/env"]
            .into_iter()
            .find(|path| self.root.join(path).exists());
        found.map_or(Ok(()), |path| {
            Err(failed("the image", &format!("it has /{path}")))
        })
    }
}

/// A database is refused where no volume is.
fn nothing_else_can_be_written(image: &Program) -> Result<(), TrialError> {
    for path in ["/etc/cardform.db", "/cardform.db", "/tmp/cardform.db"] {
        let made = image.run(&["migrate", "--database", &format!("sqlite:{path}")]);
        if made.is_ok() {
            return Err(failed("the image", &format!("{path} could be written")));
        }
    }
    Ok(())
}

/// The settings as they are, with Stripe: without root certificates the connection to it cannot be prepared.
async fn starts_with_the_providers_certificates(
    image: &Program,
    settings: &[&str],
) -> Result<(), TrialError> {
    let service = image.serve(&[&["serve", "--listen", "127.0.0.1:0"][..], settings].concat())?;
    is_answered(&client()?, &format!("{}/readyz", service.url), 200).await
}

/// A shopper pays, and the page is rendered by the image's own engine.
async fn pays(merchant: &TrialMerchant, service: &CardformProcess) -> Result<(), TrialError> {
    let answer = |what: &str| TrialError::Answer(what.to_owned());
    let charge = merchant.create(&service.url, "order-1").await;
    let charge = charge.ok_or_else(|| answer("no charge"))?;
    let page = client()?
        .get(format!("{}/?payload={}", service.url, charge.payload))
        .send();
    let page = page
        .await
        .map_err(|cause| answer(&cause.without_url().to_string()))?;
    let html = page.text().await.unwrap_or_default();
    if !html.contains("id=\"card-number\"") {
        return Err(answer("a page without a form"));
    }
    let paid = merchant.press(&service.url, &charge, "press-1", GOOD_CARD).await;
    match paid {
        Some(paid) if paid.status == 201 && paid.body["status_code"] == "succeeded" => Ok(()),
        other => Err(TrialError::Answer(format!("{other:?}"))),
    }
}

/// At SIGTERM `/readyz` says no while everything else goes on; then the process ends by itself, with success.
async fn ends_as_it_should(mut service: CardformProcess) -> Result<(), TrialError> {
    let http = client()?;
    is_answered(&http, &format!("{}/readyz", service.url), 200).await?;
    service.ask_to_end()?;
    is_answered(&http, &format!("{}/readyz", service.url), 503).await?;
    is_answered(&http, &format!("{}/healthz", service.url), 200).await?;
    let deadline = Instant::now() + TIME_MAX;
    loop {
        match service.ended()? {
            Some(true) => return Ok(()),
            Some(false) => return Err(failed("the image", "it failed at its end")),
            None if Instant::now() > deadline => {
                return Err(failed("the image", "it did not end after SIGTERM"));
            }
            None => sleep(LOOK_PAUSE).await,
        }
    }
}

/// Waits until `url` is answered with this status.
async fn is_answered(http: &Client, url: &str, status: u16) -> Result<(), TrialError> {
    let deadline = Instant::now() + TIME_MAX;
    loop {
        let answer = http.get(url).send().await;
        let said = match answer {
            Ok(answer) if answer.status().as_u16() == status => return Ok(()),
            Ok(answer) => answer.status().to_string(),
            Err(cause) => cause.without_url().to_string(),
        };
        if Instant::now() > deadline {
            return Err(TrialError::Answer(format!("{said} and not {status} at {url}")));
        }
        sleep(LOOK_PAUSE).await;
    }
}

fn client() -> Result<Client, TrialError> {
    let client = Client::builder().no_proxy().build();
    client.map_err(|cause| TrialError::Answer(cause.to_string()))
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0)
}

fn owned(path: &Path, owner: &str) -> Result<(), TrialError> {
    let given = Command::new("chown")
        .args(["--recursive", owner])
        .arg(path)
        .stdin(Stdio::null())
        .status();
    given
        .map(drop)
        .map_err(|cause| TrialError::Start("chown".to_owned(), cause))
}

fn failed(what: &str, problem: &str) -> TrialError {
    TrialError::NotReady(what.to_owned(), problem.to_owned())
}
