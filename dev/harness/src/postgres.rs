//! Starts a PostgreSQL server from Debian's packages, on a socket in a temporary folder. It ends with the process that
//! started it, however that ends.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::TrialError;
use crate::own_address::own_address;
use crate::postgres_programs::{USER, as_unprivileged_user, is_root};
use crate::scripted_postgres::{ScriptedPostgres, ask};

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

/// How often a server that needs a port of this machine is started.
const STARTS_MAX: u32 = 5;

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
    server: ScriptedPostgres,
    databases: AtomicU32,
    /// The port of the server's socket, and of its address if it has one.
    port: u16,
    address: Option<SocketAddr>,
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
        let encrypted = |port| {
            let settings = format!(
                "-c listen_addresses=127.0.0.1 -c port={port} -c ssl=on -c ssl_cert_file={} -c ssl_key_file={} \
                 -c fsync=off",
                certificate.display(),
                key.display()
            );
            Self::start_with(&settings, port)
        };
        // Somebody else may take the port before the server does; then the server ends, and gets another one.
        let mut started = Err(TrialError::NoPostgres);
        for _ in 0..STARTS_MAX {
            let port = free_port().map_err(|cause| TrialError::Start("PostgreSQL".to_owned(), cause))?;
            started = encrypted(port);
            if started.is_ok() {
                break;
            }
        }
        started
    }

    /// Starts a server that loses nothing, at an address of this machine, without TLS.
    pub fn start_at_port() -> Result<Self, TrialError> {
        let address = own_address()?;
        let settings = format!(
            "-c max_connections=200 -c listen_addresses={} -c port={}",
            address.ip(),
            address.port()
        );
        let started = Self::start_with(&settings, address.port())?;
        Ok(Self {
            address: Some(address),
            ..started
        })
    }

    /// Its address, if it was started at one.
    pub fn address(&self) -> Result<SocketAddr, TrialError> {
        self.address.ok_or(TrialError::NoPostgres)
    }

    /// Stops and starts it, as `pg_ctl restart -m` names it.
    pub fn restart(&self, mode: &str) -> Result<(), TrialError> {
        let failed = |cause| TrialError::Start("pg_ctl".to_owned(), cause);
        let status = as_unprivileged_user()
            .arg(self.server.programs.join("pg_ctl"))
            .args(["restart", "-w", "-m", mode, "-D"])
            .arg(self.server.dir.join("data"))
            .arg("-l")
            .arg(self.server.dir.join("log"))
            .current_dir("/")
            .stdout(Stdio::null())
            .status()
            .map_err(failed)?;
        if status.success() {
            return Ok(());
        }
        Err(TrialError::NotReady("PostgreSQL".to_owned(), status.to_string()))
    }

    /// What the server has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.server.dir.join("log")).unwrap_or_default()
    }

    fn start_with(settings: &str, port: u16) -> Result<Self, TrialError> {
        Ok(Self {
            server: ScriptedPostgres::start("PostgreSQL", SCRIPT, &[settings.as_ref()])?,
            databases: AtomicU32::new(0),
            port,
            address: None,
        })
    }

    /// The last statement's rows as text, a line each.
    pub fn ask(&self, database: &str, sql: &str) -> Result<String, TrialError> {
        ask(self.program("psql"), database, sql)
    }

    /// The URL of a new, empty database.
    pub fn new_database(&self) -> Result<String, TrialError> {
        Ok(self.url(&self.new_database_name()?))
    }

    /// The URL of a new database with all that the database `template` has; nobody may be connected to that one.
    pub fn copy_of(&self, template: &str) -> Result<String, TrialError> {
        Ok(self.url(&self.create_database(&["--template", template])?))
    }

    /// The URL of a new database with all that the database `name` has now, while others use that one.
    pub fn snapshot_of(&self, name: &str) -> Result<String, TrialError> {
        let copy = self.new_database_name()?;
        let mut dump = self
            .program("pg_dump")
            .arg(name)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|cause| TrialError::Start("pg_dump".to_owned(), cause))?;
        let mut read = self.program("psql");
        read.args(["--quiet", "--set", "ON_ERROR_STOP=1", "-d", &copy]);
        if let Some(dumped) = dump.stdout.take() {
            read.stdin(dumped);
        }
        let read = read
            .stdout(Stdio::null())
            .status()
            .map_err(|cause| TrialError::Start("psql".to_owned(), cause))?;
        let dumped = dump
            .wait()
            .map_err(|cause| TrialError::Start("pg_dump".to_owned(), cause))?;
        if read.success() && dumped.success() {
            return Ok(self.url(&copy));
        }
        Err(TrialError::NotReady("a snapshot".to_owned(), name.to_owned()))
    }

    /// The URL of the database with this name.
    pub fn url(&self, name: &str) -> String {
        self.server.url(name)
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

    /// The folder of the server's socket.
    pub fn socket_folder(&self) -> &Path {
        &self.server.dir
    }

    /// The port in the socket's name.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// One of PostgreSQL's client programs, which will connect to this server.
    pub fn program(&self, name: &str) -> Command {
        let mut command = self.server.program(name);
        command.args(["-p", &self.port.to_string()]);
        command
    }
}

/// A port that was free a moment ago.
pub fn free_port() -> Result<u16, std::io::Error> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
