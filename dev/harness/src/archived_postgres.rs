//! A PostgreSQL server whose write-ahead log is archived by pgBackRest, so that it can be restored to any moment. Both are Debian's
//! packages. The server ends together with the process that started it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::companion::output_of;
use crate::postgres::Postgres;
use crate::postgres_programs::as_unprivileged_user;

/// Makes server, repository and first backup in a new folder, prints the folder, and removes it when standard input ends.
/// `$1` is the folder of PostgreSQL's programs.
const SCRIPT: &str = r#"
set -e
dir=$(mktemp -d /tmp/cardform-drill-XXXXXX)
trap '"$1"/pg_ctl -D "$dir/data" -m immediate stop >/dev/null 2>&1; rm -rf "$dir"' EXIT
trap '' INT TERM
mkdir "$dir/repository" "$dir/lock" "$dir/archive-log"
cat >"$dir/pgbackrest.conf" <<END
[global]
repo1-path=$dir/repository
repo1-retention-full=2
lock-path=$dir/lock
log-path=$dir/archive-log
log-level-console=off
start-fast=y
[drill]
pg1-path=$dir/data
pg1-socket-path=$dir
pg1-user=postgres
END
"$1"/initdb -D "$dir/data" -A trust -U postgres -E UTF8 --no-locale --no-sync >"$dir/initdb.log"
cat >>"$dir/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$dir'
archive_mode = on
archive_command = 'pgbackrest --config=$dir/pgbackrest.conf --stanza=drill archive-push %p'
END
"$1"/pg_ctl -D "$dir/data" -l "$dir/log" -w start >/dev/null
"$1"/createdb -h "$dir" -U postgres drill
pgbackrest --config="$dir/pgbackrest.conf" --stanza=drill stanza-create
pgbackrest --config="$dir/pgbackrest.conf" --stanza=drill --type=full backup
echo "$dir"
cat >/dev/null
"#;

/// The database that the script makes.
const DATABASE: &str = "drill";

/// How long a restored server may take until it accepts writes.
const PROMOTED_WITHIN: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A running server.
#[derive(Debug)]
pub struct ArchivedPostgres(Postgres);

impl ArchivedPostgres {
    /// Starts a server with an empty database, and takes the first backup.
    pub fn start() -> Result<Self> {
        let is_installed = Path::new("/usr/bin/pgbackrest").is_file();
        ensure!(
            is_installed,
            "pgBackRest is not installed: on Debian `apt-get install pgbackrest`"
        );
        Ok(Self(Postgres::start_by(SCRIPT, &[])?))
    }

    /// The URL of the database.
    pub fn url(&self) -> String {
        self.0.url(DATABASE)
    }

    /// The time now, as the server writes it.
    pub fn moment(&self) -> Result<String> {
        self.0.ask(DATABASE, "SELECT clock_timestamp()")
    }

    /// Stops the server, restores it to this moment, and starts it again.
    pub fn restore_to(&self, moment: &str) -> Result<()> {
        self.0.control(&["-m", "fast", "stop"])?;
        let config = self.0.dir.join("pgbackrest.conf");
        let mut restore = as_unprivileged_user();
        restore
            .args([
                "pgbackrest",
                "--stanza=drill",
                "--delta",
                "--type=time",
                "--target-action=promote",
            ])
            .arg(format!("--config={}", config.display()))
            .arg(format!("--target={moment}"))
            .args(["--log-level-console=error", "restore"]);
        output_of(restore.current_dir("/"))?;
        self.0.control(&["start"])?;
        let begin = Instant::now();
        while self.0.ask(DATABASE, "SELECT pg_is_in_recovery()")? != "f" {
            ensure!(
                begin.elapsed() < PROMOTED_WITHIN,
                "the restored PostgreSQL stays in recovery"
            );
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }
}
