use rusqlite::StatementStatus;
use serde::Deserialize;

use super::super::query;
use super::*;

#[derive(Debug, PartialEq, Deserialize)]
struct Note {
    id: i64,
    text: Option<String>,
}

#[test]
fn a_struct_is_read_only_from_the_columns_of_its_fields() {
    let dir = tempfile::tempdir().unwrap();
    let mut connection = SqliteConnection::create(&dir.path().join("a.db")).unwrap();
    let mut read = |sql: &'static str| connection.run::<Note>(&query(sql)).map(|answer| answer.rows);
    let note = Note { id: 1, text: None };
    assert_eq!(read("SELECT 1 AS id, NULL AS text").unwrap(), [note]);
    for wrong in [
        "SELECT 1 AS id",
        "SELECT NULL AS text, 1 AS id",
        "SELECT 1 AS id, 'a' AS note",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    let error = read("SELECT 'secret' AS id, NULL AS text")
        .unwrap_err()
        .to_string();
    assert_eq!(error, "the column id is missing or holds another type");
}

#[test]
fn a_statement_is_prepared_once_for_all_values() {
    let dir = tempfile::tempdir().unwrap();
    let connection = SqliteConnection::create(&dir.path().join("a.db")).unwrap();
    connection
        .batch("CREATE TABLE t (at BIGINT); CREATE INDEX t_at ON t (at)")
        .unwrap();
    let mut statement = connection
        .connection
        .prepare("SELECT at FROM t WHERE at BETWEEN ?1 AND ?2 LIMIT ?3")
        .unwrap();
    for number in 0..3_i64 {
        let rows = statement.query([number, number + 5, number]).unwrap();
        drop(rows.mapped(|row| row.get::<_, i64>(0)).collect::<Vec<_>>());
    }
    assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
}
