//! A PostgreSQL server that follows another one. It ends together with the process that started it.

use anyhow::Result;

use crate::postgres::Postgres;

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
pub struct Standby(Postgres);

impl Standby {
    /// A server that follows this one.
    pub fn of(primary: &Postgres) -> Result<Self> {
        Ok(Self(Postgres::start_by(SCRIPT, &[primary.dir.as_os_str()])?))
    }

    /// The URL of the database with this name.
    pub fn url(&self, name: &str) -> String {
        self.0.url(name)
    }

    /// Stops replay of the primary's changes until [`Self::resume`].
    pub fn pause(&self) -> Result<()> {
        self.0.ask("postgres", "SELECT pg_wal_replay_pause()").map(drop)
    }

    /// Resumes replay.
    pub fn resume(&self) -> Result<()> {
        self.0.ask("postgres", "SELECT pg_wal_replay_resume()").map(drop)
    }
}
