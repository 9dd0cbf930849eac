//! PgBouncer from Debian's packages, in transaction mode, in front of a PostgreSQL server of this process.

use std::os::unix::net::UnixStream;

use anyhow::Result;
use tempfile::TempDir;

use crate::companion::{Companion, RunAs, open_to_all};
use crate::postgres::Postgres;

/// The port in the name of its socket.
const PORT: u16 = 6432;
/// Its sessions at the server for each database. A service has more connections, so that transactions of one connection get
/// different sessions.
const SESSIONS: u32 = 4;

/// A running PgBouncer; it ends when it is dropped.
#[derive(Debug)]
pub struct PgBouncer {
    dir: TempDir,
    _process: Companion,
}

impl PgBouncer {
    /// Starts one, and waits until it accepts connections.
    pub fn start(postgres: &Postgres) -> Result<Self> {
        let dir = tempfile::Builder::new()
            .prefix("cardform-pgbouncer-")
            .tempdir_in("/tmp")?;
        open_to_all(dir.path())?;
        let here = dir.path().display();
        let settings = format!(
            "[databases]\n* = host={} port={} user=postgres\n[pgbouncer]\npool_mode = transaction\n\
             default_pool_size = {SESSIONS}\nmax_client_conn = 200\nlisten_addr =\nlisten_port = {PORT}\n\
             unix_socket_dir = {here}\nauth_type = trust\nauth_file = {here}/users\n",
            postgres.dir.display(),
            postgres.port(),
        );
        std::fs::write(dir.path().join("users"), "\"postgres\" \"\"\n")?;
        let file = dir.path().join("pgbouncer.ini");
        std::fs::write(&file, settings)?;
        let line = format!("/usr/sbin/pgbouncer {}", file.display());
        let process = Companion::start("pgbouncer", dir.path(), RunAs::Unprivileged, &line)?;
        let socket = dir.path().join(format!(".s.PGSQL.{PORT}"));
        process.wait_until(|| UnixStream::connect(&socket).is_ok())?;
        Ok(Self {
            dir,
            _process: process,
        })
    }

    /// The URL of this database behind PgBouncer.
    pub fn url(&self, database: &str) -> String {
        let socket = self.dir.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@localhost:{PORT}/{database}?host={socket}")
    }
}
