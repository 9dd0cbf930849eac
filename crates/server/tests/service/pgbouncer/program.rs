//! PgBouncer from Debian's packages, in transaction mode, in front of a PostgreSQL server of this process.

use std::os::unix::net::UnixStream;

use harness::companion::{Companion, RunAs, open_to_all};
use harness::postgres::Postgres;
use tempfile::TempDir;

/// The port in the name of its socket.
const PORT: u16 = 6432;
/// Its sessions at the server for each database. A service has more connections, so that transactions of one connection get
/// different sessions.
const SESSIONS: u32 = 4;

/// A running PgBouncer; it ends when it is dropped.
pub(crate) struct PgBouncer {
    dir: TempDir,
    _process: Companion,
}

impl PgBouncer {
    /// Starts one, and waits until it accepts connections.
    pub(crate) fn start(postgres: &Postgres) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("cardform-pgbouncer-")
            .tempdir_in("/tmp")
            .unwrap();
        open_to_all(dir.path()).unwrap();
        let here = dir.path().display();
        let settings = format!(
            "[databases]\n* = host={} port={} user=postgres\n[pgbouncer]\npool_mode = transaction\n\
             default_pool_size = {SESSIONS}\nmax_client_conn = 200\nlisten_addr =\nlisten_port = {PORT}\n\
             unix_socket_dir = {here}\nauth_type = trust\nauth_file = {here}/users\n",
            postgres.dir.display(),
            postgres.port(),
        );
        std::fs::write(dir.path().join("users"), "\"postgres\" \"\"\n").unwrap();
        let file = dir.path().join("pgbouncer.ini");
        std::fs::write(&file, settings).unwrap();
        let line = format!("/usr/sbin/pgbouncer {}", file.display());
        let process = Companion::start("pgbouncer", dir.path(), RunAs::Unprivileged, &line).unwrap();
        let socket = dir.path().join(format!(".s.PGSQL.{PORT}"));
        process
            .wait_until(|| UnixStream::connect(&socket).is_ok())
            .unwrap();
        Self {
            dir,
            _process: process,
        }
    }

    /// The URL of this database behind PgBouncer.
    pub(crate) fn url(&self, database: &str) -> String {
        let socket = self.dir.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@localhost:{PORT}/{database}?host={socket}")
    }
}
