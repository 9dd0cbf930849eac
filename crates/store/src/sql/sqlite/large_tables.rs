//! In debug builds, and so in every test: no statement reads a table of millions of rows from the beginning to the end.

use rusqlite::Connection;

/// Tables that grow with every charge, card or visit.
const LARGE: [&str; 10] = [
    "charges",
    "attempts",
    "creations",
    "saved_cards",
    "provider_customers",
    "webhook_events",
    "visits",
    "visit_experiments",
    "report_tally",
    "audit_log",
];

/// Indexes of the few rows that wait for something: reading all of them is what they are for.
const FEW_ROWS: [&str; 5] = [
    "attempts_one_under_way",
    "attempts_to_reconcile",
    "saved_cards_pending",
    "webhook_events_due_by_endpoint",
    "webhook_events_waiting",
];

/// Indexes that are read whole, rarely and on request: the report of one language over a long time, and
/// the list of the vault's keys.
const READ_WHOLE: [&str; 3] = [
    "visits_by_kind",
    "visit_experiments_by_kind",
    "saved_cards_by_key",
];

/// Panics if SQLite would run the statement by reading a whole large table.
pub(super) fn check(connection: &Connection, sql: &str) {
    for step in plan(connection, sql) {
        assert!(!is_long(&step, sql), "`{sql}` reads a large table whole: {step}");
    }
}

/// The steps by which SQLite would run the statement; none for what is no query.
fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let Ok(mut statement) = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")) else {
        return Vec::new();
    };
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Ok(Some(row)) = rows.next() {
        steps.extend(row.get::<_, String>(3));
    }
    steps
}

fn is_long(step: &str, sql: &str) -> bool {
    // Where no index helps, SQLite reads the whole table to make one for the statement.
    let searched = step
        .strip_prefix("SEARCH ")
        .filter(|rest| rest.contains(" AUTOMATIC "));
    let Some(scanned) = step.strip_prefix("SCAN ").or(searched) else {
        return false;
    };
    let words: Vec<&str> = scanned.split(' ').collect();
    let name = words[0];
    // A plan names a table as the statement does: `v` for `visits v` and `visits AS v`.
    let is_large = LARGE.iter().any(|table| {
        name == *table
            || sql.contains(&format!(" {table} {name} "))
            || sql.contains(&format!(" {table} AS {name} "))
    });
    let index = words.iter().skip_while(|word| **word != "INDEX").nth(1);
    let is_allowed = index.is_some_and(|index| FEW_ROWS.contains(index) || READ_WHOLE.contains(index));
    is_large && !is_allowed
}

#[cfg(test)]
mod tests;
