//! Starts a PostgreSQL server from Debian's packages, on a socket in a temporary folder. It ends with the process that
//! started it, however that ends.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::TrialError;

/// Where Debian keeps each version's programs.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The user of the server if root starts it, because PostgreSQL refuses to run as root.
const USER: &str = "postgres";

/// Creates a database cluster, prints its folder, and removes it when standard input ends, which happens when the
/// process at the other end is gone. `$1` is the folder of the programs, `$2` the server's settings.
const SCRIPT: &str = r#"
set -e
dir=$(mktemp -d /tmp/cardform-postgres-XXXXXX)
trap '"$1"/pg_ctl -D "$dir/data" -m immediate stop >/dev/null 2>&1; rm -rf "$dir"' EXIT
trap '' INT TERM
"$1"/initdb -D "$dir/data" -A trust -U postgres -E UTF8 --no-locale --no-sync >"$dir/initdb.log"
"$1"/pg_ctl -D "$dir/data" -l "$dir/log" -w -o "-k $dir -c listen_addresses='' $2" start >/dev/null
echo "$dir"
cat >/dev/null
"#;

/// The default port in the name of PostgreSQL's socket.
const PORT: u16 = 5432;

/// What the server may lose in a power failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was committed.
    Full,
    /// Everything: for tests. Killed processes lose nothing even so.
    None,
}

/// A running server.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    dir: PathBuf,
    databases: AtomicU32,
    /// The port of the server's socket, and of its address if it has one.
    port: u16,
    /// The script ends when its standard input does.
    script: Child,
}

impl Postgres {
    /// Starts a server and waits until it takes connections.
    pub fn start(durability: Durability) -> Result<Self, TrialError> {
        let settings = match durability {
            Durability::Full => "-c max_connections=200",
            Durability::None => {
                "-c max_connections=200 -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
            }
        };
        Self::start_with(settings, PORT)
    }

    /// Starts a server for tests that speaks TLS at a port of this machine, with this certificate and its key.
    /// The key, which nobody else may read, becomes the server's own.
    pub fn start_encrypted(certificate: &Path, key: &Path) -> Result<Self, TrialError> {
        if is_root() {
            let given = Command::new("chown").arg(USER).arg(key).status();
            given.map_err(|cause| TrialError::Start("chown".to_owned(), cause))?;
        }
        let port = free_port().map_err(|cause| TrialError::Start("PostgreSQL".to_owned(), cause))?;
        let settings = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} -c ssl=on -c ssl_cert_file={} -c ssl_key_file={} -c fsync=off",
            certificate.display(),
            key.display()
        );
        Self::start_with(&settings, port)
    }

    fn start_with(settings: &str, port: u16) -> Result<Self, TrialError> {
        let programs = programs()?;
        let mut command = as_unprivileged_user();
        let mut script = command
            .args(["sh", "-c", SCRIPT, "sh"])
            .arg(&programs)
            .arg(settings)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|cause| TrialError::Start("PostgreSQL".to_owned(), cause))?;
        let mut line = String::new();
        if let Some(out) = script.stdout.take() {
            // If it cannot be read, the line is empty, which means "not ready".
            let _ = BufReader::new(out).read_line(&mut line);
        }
        let dir = line.trim_end();
        if dir.is_empty() {
            return Err(TrialError::NotReady(
                "PostgreSQL".to_owned(),
                "it ended".to_owned(),
            ));
        }
        Ok(Self {
            programs,
            dir: PathBuf::from(dir),
            databases: AtomicU32::new(0),
            port,
            script,
        })
    }

    /// The URL of a new, empty database.
    pub fn new_database(&self) -> Result<String, TrialError> {
        Ok(self.url(&self.new_database_name()?))
    }

    /// The URL of a new database with all that the database `template` has; nobody may be connected to that one.
    pub fn copy_of(&self, template: &str) -> Result<String, TrialError> {
        Ok(self.url(&self.create_database(&["--template", template])?))
    }

    /// The URL of the database with this name.
    pub fn url(&self, name: &str) -> String {
        let socket = self.dir.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@localhost/{name}?host={socket}")
    }

    /// The URL of a new, empty database by way of the server's port, which a server that speaks TLS has.
    pub fn new_database_at_port(&self) -> Result<String, TrialError> {
        let name = self.new_database_name()?;
        Ok(format!("postgres://postgres@localhost:{}/{name}", self.port))
    }

    /// The name of a new, empty database, for PostgreSQL's own programs.
    pub fn new_database_name(&self) -> Result<String, TrialError> {
        self.create_database(&[])
    }

    fn create_database(&self, arguments: &[&str]) -> Result<String, TrialError> {
        let name = format!("trial_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let made = self
            .program("createdb")
            .args(arguments)
            .arg(&name)
            .output()
            .map_err(|cause| TrialError::Start("createdb".to_owned(), cause))?;
        if made.status.success() {
            return Ok(name);
        }
        let said = String::from_utf8_lossy(&made.stderr).trim().to_owned();
        Err(TrialError::NotReady("a new database".to_owned(), said))
    }

    /// One of PostgreSQL's client programs, which will connect to this server.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.args(["-U", "postgres", "-p", &self.port.to_string(), "-h"]);
        command.arg(&self.dir);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        // The script cleans up itself, even if nobody waits for it.
        let _ = self.script.wait();
    }
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16, std::io::Error> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// The newest version's programs.
fn programs() -> Result<PathBuf, TrialError> {
    let versions = std::fs::read_dir(VERSIONS).map_err(|_| TrialError::NoPostgres)?;
    versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|programs| programs.join("initdb").is_file())
        .max_by_key(|programs| version(programs))
        .ok_or(TrialError::NoPostgres)
}

fn version(programs: &Path) -> Option<u32> {
    programs.parent()?.file_name()?.to_str()?.parse().ok()
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0)
}

fn as_unprivileged_user() -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", USER, "--regid", USER, "--clear-groups", "--"]);
        command
    } else {
        Command::new("env")
    }
}
