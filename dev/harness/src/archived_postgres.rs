//! A PostgreSQL server whose write-ahead log is archived by pgBackRest, so that it can be restored to any moment.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::companion::output_of;
use crate::postgres::Postgres;
use crate::postgres_programs::as_unprivileged_user;
use crate::waiting::happens_within;

/// Makes server, repository and first backup in the folder `$dir`. `$1` is the folder of PostgreSQL's programs.
const SCRIPT: &str = r#"
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
pgbackrest --config="$dir/pgbackrest.conf" --stanza=drill stanza-create
pgbackrest --config="$dir/pgbackrest.conf" --stanza=drill --type=full backup
"#;

/// How long a restored server may take until it accepts writes.
const PROMOTED_WITHIN: Duration = Duration::from_secs(60);

impl Postgres {
    /// Starts a server with an archive, and takes the first backup.
    pub fn start_archived() -> Result<Self> {
        let is_installed = Path::new("/usr/bin/pgbackrest").is_file();
        ensure!(
            is_installed,
            "pgBackRest is not installed: on Debian `apt-get install pgbackrest`"
        );
        Self::start_by(SCRIPT, &[])
    }

    /// Stops an archived server, restores it to this moment, and starts it again.
    pub async fn restore_to(&self, moment: &str) -> Result<()> {
        self.control(&["-m", "fast", "stop"])?;
        let config = self.dir.join("pgbackrest.conf");
        let mut restore = as_unprivileged_user();
        restore
            .args(["pgbackrest", "--stanza=drill", "--delta", "--type=time"])
            .args(["--target-action=promote", "--log-level-console=error"])
            .arg(format!("--config={}", config.display()))
            .arg(format!("--target={moment}"))
            .arg("restore");
        output_of(restore.current_dir("/"))?;
        self.control(&["start"])?;
        let accepts_writes = async || Ok(self.ask("postgres", "SELECT pg_is_in_recovery()")? == "f");
        ensure!(
            happens_within(PROMOTED_WITHIN, accepts_writes).await?,
            "the restored PostgreSQL stays in recovery"
        );
        Ok(())
    }
}
