//! A PostgreSQL server whose log of changes pgBackRest keeps, so that it can be restored to any moment. Both are Debian's
//! packages. It ends with the process that started it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use harness::TrialError;
use harness::postgres_programs::as_unprivileged_user;
use harness::scripted_postgres::{ScriptedPostgres, ask};

/// Makes server, repository and first backup in a new folder, prints the folder, and removes it when standard input ends.
/// `$1` is the folder of PostgreSQL's programs.
const SCRIPT: &str = r#"
set -e
dir=$(mktemp -d /tmp/cardform-drill-XXXXXX)
trap '"$1"/pg_ctl -D "$dir/data" -m immediate stop >/dev/null 2>&1; rm -rf "$dir"' EXIT
trap '' INT TERM
mkdir "$dir/repository" "$dir/lock" "$dir/log"
cat >"$dir/pgbackrest.conf" <<END
[global]
repo1-path=$dir/repository
repo1-retention-full=2
lock-path=$dir/lock
log-path=$dir/log
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
"$1"/pg_ctl -D "$dir/data" -l "$dir/server.log" -w start >/dev/null
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
pub(crate) struct ArchivedPostgres(ScriptedPostgres);

impl ArchivedPostgres {
    /// Starts a server with an empty database, and takes the first backup.
    pub(crate) fn start() -> Result<Self, TrialError> {
        if !Path::new("/usr/bin/pgbackrest").is_file() {
            return Err(TrialError::NotReady(
                "pgBackRest".to_owned(),
                "on Debian `apt-get install pgbackrest`".to_owned(),
            ));
        }
        let server = ScriptedPostgres::start("PostgreSQL with pgBackRest", SCRIPT, &[])?;
        Ok(Self(server))
    }

    /// The URL of the database.
    pub(crate) fn url(&self) -> String {
        self.0.url(DATABASE)
    }

    /// The time now, as the server writes it.
    pub(crate) fn moment(&self) -> Result<String, TrialError> {
        self.ask("SELECT clock_timestamp()")
    }

    /// Stops the server, restores it to this moment, and starts it again.
    pub(crate) fn restore_to(&self, moment: &str) -> Result<(), TrialError> {
        self.control(&["-m", "fast", "stop"])?;
        let config = format!("--config={}", self.0.dir.join("pgbackrest.conf").display());
        let target = format!("--target={moment}");
        let mut restore = as_unprivileged_user();
        restore.arg("pgbackrest").args([
            &config,
            "--stanza=drill",
            "--delta",
            "--type=time",
            &target,
            "--target-action=promote",
            "--log-level-console=error",
            "restore",
        ]);
        succeed("pgbackrest restore", restore.current_dir("/"))?;
        let log = self.0.dir.join("server.log");
        self.control(&["-l", &log.display().to_string(), "start"])?;
        let begin = Instant::now();
        while self.ask("SELECT pg_is_in_recovery()")? != "f" {
            if begin.elapsed() > PROMOTED_WITHIN {
                return Err(TrialError::NotReady(
                    "the restored PostgreSQL".to_owned(),
                    format!("still in recovery after {} s", PROMOTED_WITHIN.as_secs()),
                ));
            }
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    fn control(&self, arguments: &[&str]) -> Result<(), TrialError> {
        let mut control = as_unprivileged_user();
        control
            .arg(self.0.programs.join("pg_ctl"))
            .arg("-D")
            .arg(self.0.dir.join("data"));
        // The server must not keep our output open.
        control
            .arg("-w")
            .args(arguments)
            .stdout(Stdio::null())
            .current_dir("/");
        succeed("pg_ctl", &mut control)
    }

    fn ask(&self, sql: &str) -> Result<String, TrialError> {
        ask(self.0.program("psql"), DATABASE, sql)
    }
}

fn succeed(name: &str, command: &mut Command) -> Result<(), TrialError> {
    let status = command
        .status()
        .map_err(|cause| TrialError::Start(name.to_owned(), cause))?;
    if status.success() {
        return Ok(());
    }
    Err(TrialError::NotReady(name.to_owned(), status.to_string()))
}
