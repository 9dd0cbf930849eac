//! Starts a PostgreSQL server from Debian's packages, on a socket in a temporary folder. A shell script starts the server and
//! prints the folder. It stops the server and removes the folder when its standard input ends, because then the process at the
//! other end has ended, even if it was killed.

use std::ffi::OsStr;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};

use crate::companion::output_of;
use crate::first_line::{READY_WITHIN, first_line};
use crate::own_address::own_address;
use crate::postgres_programs::{USER, as_unprivileged_user, is_root, programs};

/// What every script begins and ends with. `$1` is the folder of the programs, `$dir` the new folder.
const BEGIN: &str = r#"
set -e
dir=$(mktemp -d /tmp/cardform-postgres-XXXXXX)
trap '"$1"/pg_ctl -D "$dir/data" -m immediate stop >/dev/null 2>&1; rm -rf "$dir"' EXIT
trap '' INT TERM
"#;
const END: &str = r#"
echo "$dir"
cat >/dev/null
"#;
/// Creates a database cluster and starts its server. `$2` has the server's settings.
const SERVER: &str = r#"
"$1"/initdb -D "$dir/data" -A trust -U postgres -E UTF8 --no-locale --no-sync >"$dir/initdb.log"
"$1"/pg_ctl -D "$dir/data" -l "$dir/log" -w -o "-k $dir -c max_connections=200 -c listen_addresses='' $2" start >/dev/null
"#;
/// Copies the server at the socket in `$2`, and starts the copy, which follows it.
const STANDBY: &str = r#"
"$1"/pg_basebackup -h "$2" -U postgres -D "$dir/data" -X stream -c fast -R --no-sync
"$1"/pg_ctl -D "$dir/data" -l "$dir/log" -w -o "-k $dir -c listen_addresses='' -c max_connections=200 -c fsync=off" start >/dev/null
"#;

/// PostgreSQL's default.
const PORT: u16 = 5432;
/// How often a server that needs a port of this machine is started.
const STARTS_MAX: u32 = 5;

/// What the server may lose in a power failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was committed.
    Full,
    /// Everything: for tests. Even then nothing is lost when processes are killed.
    None,
}

/// A running server; it ends when it is dropped.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    /// The folder that the script has made, with the server's socket.
    pub dir: PathBuf,
    script: Child,
    databases: AtomicU32,
    /// The address of a server that listens at one.
    address: Option<SocketAddr>,
}

impl Postgres {
    /// Starts a server and waits until it accepts connections.
    pub fn start(durability: Durability) -> Result<Self> {
        let settings = match durability {
            Durability::Full => "",
            Durability::None => "-c fsync=off -c synchronous_commit=off -c full_page_writes=off",
        };
        Self::start_by(SERVER, &[settings.as_ref()])
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
        for _ in 1..STARTS_MAX {
            if let Ok(started) = encrypted() {
                return Ok(started);
            }
        }
        encrypted()
    }

    /// Starts a server that follows this one.
    pub fn standby(&self) -> Result<Self> {
        Self::start_by(STANDBY, &[self.dir.as_os_str()])
    }

    /// Starts a server that loses nothing, at an address of this machine, without TLS.
    pub fn start_at_port() -> Result<Self> {
        Self::start_at(own_address()?, "")
    }

    fn start_at(address: SocketAddr, settings: &str) -> Result<Self> {
        let (ip, port) = (address.ip(), address.port());
        let settings = format!("-c listen_addresses={ip} -c port={port} {settings}");
        let mut started = Self::start_by(SERVER, &[settings.as_ref()])?;
        started.address = Some(address);
        Ok(started)
    }

    /// Runs the script between [`BEGIN`] and [`END`]. The arguments begin with `$2`.
    pub(crate) fn start_by(script: &str, arguments: &[&OsStr]) -> Result<Self> {
        let programs = programs()?;
        let mut script = as_unprivileged_user()
            .args(["sh", "-c", &format!("{BEGIN}{script}{END}"), "sh"])
            .arg(&programs)
            .args(arguments)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start PostgreSQL")?;
        let (line, _) = first_line(script.stdout.take().context("no output")?, READY_WITHIN)?;
        ensure!(!line.is_empty(), "PostgreSQL does not start");
        Ok(Self {
            programs,
            dir: PathBuf::from(line.trim_end()),
            script,
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
        self.control(&["restart", "-m", mode])
    }

    /// Runs `pg_ctl` and waits until it is done.
    pub(crate) fn control(&self, arguments: &[&str]) -> Result<()> {
        let mut control = as_unprivileged_user();
        control.arg(self.programs.join("pg_ctl")).arg("-w");
        control.arg("-D").arg(self.dir.join("data"));
        control.arg("-l").arg(self.dir.join("log"));
        // The server must not keep this process's output open.
        control.stdout(Stdio::null()).stderr(Stdio::null());
        let status = control.args(arguments).current_dir("/").status()?;
        ensure!(status.success(), "pg_ctl {} failed", arguments.join(" "));
        Ok(())
    }

    /// The server's log.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir.join("log")).unwrap_or_default()
    }

    /// The last statement's rows as text, a line each.
    pub fn ask(&self, database: &str, sql: &str) -> Result<String> {
        output_of(self.program("psql").args(["-d", database, "-Atc", sql]))
    }

    /// The URL of a new, empty database.
    pub fn new_database(&self) -> Result<String> {
        Ok(self.url(&self.new_database_name()?))
    }

    /// The URL of a new copy of the database `template`, which must have no connection.
    pub fn copy_of(&self, template: &str) -> Result<String> {
        Ok(self.url(&self.create_database(&["--template", template])?))
    }

    /// The URL of the database with this name.
    pub fn url(&self, name: &str) -> String {
        let socket = self.dir.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@localhost/{name}?host={socket}")
    }

    /// The URL of a new, empty database at the server's port, for a server with TLS.
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

    /// The port in the socket's name.
    pub fn port(&self) -> u16 {
        self.address.map_or(PORT, |address| address.port())
    }

    /// One of PostgreSQL's client programs, which connects to this server.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.args(["-U", "postgres", "-h"]).arg(&self.dir);
        command.args(["-p", &self.port().to_string()]);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        // Wait until the script has cleaned up.
        let _ = self.script.wait();
    }
}

/// A port that was free a moment ago.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
