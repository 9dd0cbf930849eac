//! Starts a PostgreSQL server from Debian's packages, on a socket in a temporary folder. It ends with the process that
//! started it, however that ends.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};

use crate::companion::output_of;
use crate::own_address::own_address;
use crate::postgres_programs::{USER, is_root};
use crate::scripted_postgres::ScriptedPostgres;

/// Creates a database cluster, prints its folder, and removes it when standard input ends, which happens when the
/// process at the other end is gone. `$1` is the folder of the programs, `$2` the server's settings.
const SCRIPT: &str = r#"
set -e
dir=$(mktemp -d /tmp/cardform-postgres-XXXXXX)
trap '"$1"/pg_ctl -D "$dir/data" -m immediate stop >/dev/null 2>&1; rm -rf "$dir"' EXIT
trap '' INT TERM
"$1"/initdb -D "$dir/data" -A trust -U postgres -E UTF8 --no-locale --no-sync >"$dir/initdb.log"
"$1"/pg_ctl -D "$dir/data" -l "$dir/log" -w -o "-k $dir -c max_connections=200 -c listen_addresses='' $2" start >/dev/null
echo "$dir"
cat >/dev/null
"#;

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
    address: Option<SocketAddr>,
}

impl Postgres {
    /// Starts a server and waits until it takes connections.
    pub fn start(durability: Durability) -> Result<Self> {
        Self::start_with(match durability {
            Durability::Full => "",
            Durability::None => "-c fsync=off -c synchronous_commit=off -c full_page_writes=off",
        })
    }

    /// Starts a server for tests that speaks TLS at a port of this machine, with this certificate and its key.
    /// The server becomes the owner of the key, because no other user may read it.
    pub fn start_encrypted(certificate: &Path, key: &Path) -> Result<Self> {
        if is_root() {
            output_of(Command::new("chown").arg(USER).arg(key))?;
        }
        let encrypted = || {
            let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
            let (certificate, key) = (certificate.display(), key.display());
            Self::start_at(
                address,
                &format!("-c ssl=on -c ssl_cert_file={certificate} -c ssl_key_file={key} -c fsync=off"),
            )
        };
        // If another program takes the port first, the server ends, and the next one gets another port.
        let mut started = encrypted();
        for _ in 1..STARTS_MAX {
            if started.is_err() {
                started = encrypted();
            }
        }
        started
    }

    /// Starts a server that loses nothing, at an address of this machine, without TLS.
    pub fn start_at_port() -> Result<Self> {
        Self::start_at(own_address()?, "")
    }

    fn start_at(address: SocketAddr, settings: &str) -> Result<Self> {
        let (ip, port) = (address.ip(), address.port());
        let mut started = Self::start_with(&format!("-c listen_addresses={ip} -c port={port} {settings}"))?;
        started.server.port = port;
        started.address = Some(address);
        Ok(started)
    }

    fn start_with(settings: &str) -> Result<Self> {
        Ok(Self {
            server: ScriptedPostgres::start(SCRIPT, &[settings.as_ref()])?,
            databases: AtomicU32::new(0),
            address: None,
        })
    }

    /// Its address, if it was started at one.
    pub fn address(&self) -> Result<SocketAddr> {
        self.address.context("PostgreSQL listens at no address")
    }

    /// Stops and starts it, as `pg_ctl restart -m` names it.
    pub fn restart(&self, mode: &str) -> Result<()> {
        self.server.control(&["restart", "-m", mode])
    }

    /// What the server has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.server.dir.join("log")).unwrap_or_default()
    }

    /// The last statement's rows as text, a line each.
    pub fn ask(&self, database: &str, sql: &str) -> Result<String> {
        self.server.ask(database, sql)
    }

    /// The URL of a new, empty database.
    pub fn new_database(&self) -> Result<String> {
        Ok(self.url(&self.new_database_name()?))
    }

    /// The URL of a new database with all that the database `template` has, which must have no connection.
    pub fn copy_of(&self, template: &str) -> Result<String> {
        Ok(self.url(&self.create_database(&["--template", template])?))
    }

    /// The URL of a new database with all that the database `name` has now, while others use that one.
    pub fn snapshot_of(&self, name: &str) -> Result<String> {
        let copy = self.new_database_name()?;
        let mut dump = self.program("pg_dump").arg(name).stdout(Stdio::piped()).spawn()?;
        let mut read = self.program("psql");
        read.args(["--quiet", "--set", "ON_ERROR_STOP=1", "-d", &copy]);
        read.stdin(dump.stdout.take().context("no dump")?);
        output_of(&mut read)?;
        ensure!(dump.wait()?.success(), "pg_dump failed");
        Ok(self.url(&copy))
    }

    /// The URL of the database with this name.
    pub fn url(&self, name: &str) -> String {
        self.server.url(name)
    }

    /// The URL of a new, empty database by way of the server's port, which a server that speaks TLS has.
    pub fn new_database_at_port(&self) -> Result<String> {
        let name = self.new_database_name()?;
        Ok(format!("postgres://postgres@localhost:{}/{name}", self.port()))
    }

    /// The name of a new, empty database, for PostgreSQL's own programs.
    pub fn new_database_name(&self) -> Result<String> {
        self.create_database(&[])
    }

    fn create_database(&self, arguments: &[&str]) -> Result<String> {
        let name = format!("trial_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        output_of(self.program("createdb").args(arguments).arg(&name))?;
        Ok(name)
    }

    /// The folder of the server's socket.
    pub fn socket_folder(&self) -> &Path {
        &self.server.dir
    }

    /// The port in the socket's name.
    pub fn port(&self) -> u16 {
        self.server.port
    }

    /// One of PostgreSQL's client programs, which connects to this server.
    pub fn program(&self, name: &str) -> Command {
        self.server.program(name)
    }
}

/// A port that was free a moment ago.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
