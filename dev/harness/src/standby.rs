//! A PostgreSQL server that follows another one. It ends with the process that started it.

use crate::TrialError;
use crate::postgres::Postgres;
use crate::scripted_postgres::{ScriptedPostgres, ask};

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
    pub fn of(primary: &Postgres) -> Result<Self, TrialError> {
        let socket = primary.socket_folder().as_os_str();
        Ok(Self(ScriptedPostgres::start("a standby", SCRIPT, &[socket])?))
    }

    /// The URL of the database with this name.
    pub fn url(&self, name: &str) -> String {
        self.0.url(name)
    }

    /// Makes no more changes that the other server has made, until it is told to go on.
    pub fn pause(&self) -> Result<(), TrialError> {
        self.run("SELECT pg_wal_replay_pause()")
    }

    /// Goes on.
    pub fn resume(&self) -> Result<(), TrialError> {
        self.run("SELECT pg_wal_replay_resume()")
    }

    fn run(&self, sql: &str) -> Result<(), TrialError> {
        ask(self.0.program("psql"), "postgres", sql).map(drop)
    }
}
