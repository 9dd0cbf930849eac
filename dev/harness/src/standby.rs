//! A PostgreSQL server that follows another one. It ends with the process that started it.

use anyhow::Result;

use crate::postgres::Postgres;
use crate::scripted_postgres::ScriptedPostgres;

/// Copies the server at the socket in `$2`, prints the folder of the copy, and removes it when standard input ends. `$1` is
/// the folder of the programs.
const SCRIPT: &str = r#"
set -e
dir=$(mktemp -d /tmp/cardform-standby-XXXXXX)
trap '"$1"/pg_ctl -D "$dir/data" -m immediate stop >/dev/null 2>&1; rm -rf "$dir"' EXIT
trap '' INT TERM
"$1"/pg_basebackup -h "$2" -U postgres -D "$dir/data" -X stream -c fast -R --no-sync
"$1"/pg_ctl -D "$dir/data" -l "$dir/log" -w -o "-k $dir -c listen_addresses='' -c max_connections=200 -c fsync=off" start >/dev/null
echo "$dir"
cat >/dev/null
"#;

/// A running standby server.
#[derive(Debug)]
pub struct Standby(ScriptedPostgres);

impl Standby {
    /// A server that follows this one.
    pub fn of(primary: &Postgres) -> Result<Self> {
        let socket = primary.socket_folder().as_os_str();
        Ok(Self(ScriptedPostgres::start(SCRIPT, &[socket])?))
    }

    /// The URL of the database with this name.
    pub fn url(&self, name: &str) -> String {
        self.0.url(name)
    }

    /// Stops replay of the primary's changes until [`Self::resume`].
    pub fn pause(&self) -> Result<()> {
        self.run("SELECT pg_wal_replay_pause()")
    }

    /// Resumes replay.
    pub fn resume(&self) -> Result<()> {
        self.run("SELECT pg_wal_replay_resume()")
    }

    fn run(&self, sql: &str) -> Result<()> {
        self.0.ask("postgres", sql).map(drop)
    }
}
