use super::*;

#[test]
fn a_statement_that_reads_a_whole_large_table_is_found() {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE charges (id TEXT PRIMARY KEY, status TEXT); CREATE TABLE partners (id TEXT); \
             CREATE TABLE attempts (id TEXT, state TEXT); \
             CREATE INDEX attempts_to_reconcile ON attempts (id) WHERE state = 'in_flight'",
        )
        .unwrap();
    let is_found = |sql: &str| plan(&connection, sql).iter().any(|step| is_long(step, sql));
    assert!(is_found("SELECT status FROM charges WHERE status = $1"));
    assert!(is_found(
        "SELECT c.id FROM partners p JOIN charges c WHERE c.status = p.id"
    ));
    assert!(is_found("UPDATE charges SET status = 'paid'"));
    assert!(is_found("UPDATE charges AS c SET status = 'paid'"));
    assert!(!is_found("SELECT status FROM charges WHERE id = $1"));
    assert!(!is_found("SELECT id FROM attempts WHERE state = 'in_flight'"));
    assert!(!is_found("SELECT id FROM partners"));
}
