//! The triggers that keep the audit log append-only. Each database has its own syntax for them, so they are not a
//! migration. A database that speaks PostgreSQL's protocol without triggers works without them, and the log says so.

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
BEGIN SELECT RAISE(ABORT, 'a line of the audit log is never removed'); END;";

/// `TRUNCATE` needs a trigger of its own.
const POSTGRES: &str = "
CREATE OR REPLACE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'a line of the audit log is never changed or removed'; END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
FOR EACH ROW EXECUTE FUNCTION audit_log_refuse();
CREATE TRIGGER audit_log_never_emptied BEFORE TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse();";

/// Checks that both of PostgreSQL's triggers exist. The catalogue has those of every schema.
const POSTGRES_HAS: &str = "SELECT COUNT(*) FROM pg_trigger \
     WHERE tgrelid = 'audit_log'::regclass AND tgname IN ('audit_log_append_only', 'audit_log_never_emptied')";

/// Creates the triggers that are missing.
pub(super) fn on_sqlite(connection: &SqliteConnection) -> Result<(), SqlError> {
    connection.batch(&format!("BEGIN IMMEDIATE; {SQLITE} COMMIT"))
}

/// Creates the triggers that are missing, if the database takes triggers.
pub(super) async fn on_postgres(pool: &PostgresPool) {
    if !is_guarded(pool).await.unwrap_or(false)
        && let Err(cause) = pool.batch(POSTGRES).await
        // Another node may have created them at the same time.
        && !is_guarded(pool).await.unwrap_or(false)
    {
        tracing::warn!(%cause, "this database cannot keep others from changing the audit log: it takes no triggers");
    }
}

async fn is_guarded(pool: &PostgresPool) -> Result<bool, SqlError> {
    let triggers: i64 = query(POSTGRES_HAS).fetch_one(pool).await?;
    Ok(triggers == 2)
}
