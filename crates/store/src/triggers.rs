//! The triggers that keep the audit log append-only, and those that keep a program of before holds from taking money that
//! is to be held. Each database has its own syntax for them, so they are not a migration. A database that speaks
//! PostgreSQL's protocol without triggers works without them, and the log says so.

use super::sql::postgres::PostgresPool;
use super::sql::sqlite::SqliteConnection;
use super::sql::{SqlError, query};

/// `REPLACE` and `INSERT OR REPLACE` remove a line without asking the trigger of `DELETE`.
const SQLITE: &str = "
CREATE TRIGGER IF NOT EXISTS audit_log_never_replaced BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id OR rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'a line of the audit log is never changed'); END;
CREATE TRIGGER IF NOT EXISTS audit_log_never_changed BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'a line of the audit log is never changed'); END;
CREATE TRIGGER IF NOT EXISTS audit_log_never_removed BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'a line of the audit log is never removed'); END;
CREATE TRIGGER IF NOT EXISTS attempts_know_holds BEFORE INSERT ON attempts
WHEN NEW.card_details IS NULL
    AND EXISTS (SELECT 1 FROM charges WHERE id = NEW.charge_id AND capture_method = 'manual')
BEGIN SELECT RAISE(ABORT, 'this program would take money that is to be held'); END;";

/// `TRUNCATE` needs a trigger of its own.
const POSTGRES: &str = "
CREATE OR REPLACE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'a line of the audit log is never changed or removed'; END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
FOR EACH ROW EXECUTE FUNCTION audit_log_refuse();
CREATE TRIGGER audit_log_never_emptied BEFORE TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse();";

/// Checks that both of PostgreSQL's triggers exist. The catalogue has those of every schema.
const POSTGRES_HAS: &str = "SELECT COUNT(*) / 2 FROM pg_trigger \
     WHERE tgrelid = 'audit_log'::regclass AND tgname IN ('audit_log_append_only', 'audit_log_never_emptied')";

/// Programs that know holds write the details of the card with each attempt, so the trigger costs them nothing.
const POSTGRES_HOLDS: &str = "
CREATE OR REPLACE FUNCTION attempts_know_holds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM charges WHERE id = NEW.charge_id AND capture_method = 'manual') THEN
        RAISE EXCEPTION 'this program would take money that is to be held';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER attempts_know_holds BEFORE INSERT ON attempts
FOR EACH ROW WHEN (NEW.card_details IS NULL) EXECUTE FUNCTION attempts_know_holds();";
const POSTGRES_HAS_HOLDS: &str = "SELECT COUNT(*) FROM pg_trigger \
     WHERE tgrelid = 'attempts'::regclass AND tgname = 'attempts_know_holds'";

/// Creates the triggers that are missing.
pub(super) fn on_sqlite(connection: &SqliteConnection) -> Result<(), SqlError> {
    connection.batch(&format!("BEGIN IMMEDIATE; {SQLITE} COMMIT"))
}

/// Creates the triggers that are missing, if the database takes triggers.
pub(super) async fn on_postgres(pool: &PostgresPool) {
    for (has, create, cannot) in [
        (POSTGRES_HAS, POSTGRES, "keep others from changing the audit log"),
        (
            POSTGRES_HAS_HOLDS,
            POSTGRES_HOLDS,
            "keep an older node from taking money that is to be held",
        ),
    ] {
        if !is_guarded(pool, has).await.unwrap_or(false)
            && let Err(cause) = pool.batch(create).await
            // Another node may have created them at the same time.
            && !is_guarded(pool, has).await.unwrap_or(false)
        {
            tracing::warn!(%cause, "this database cannot {cannot}: it takes no triggers");
        }
    }
}

async fn is_guarded(pool: &PostgresPool, has: &'static str) -> Result<bool, SqlError> {
    let triggers: i64 = query(has).fetch_one(pool).await?;
    Ok(triggers == 1)
}
