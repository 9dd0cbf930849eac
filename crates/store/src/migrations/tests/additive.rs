//! Checks new migrations against docs/upgrades.md#what-a-migration-may-do: while a change is rolled out, programs of the
//! previous release work on the new tables.

use std::collections::BTreeSet;

use super::{FILES, Migration};

/// Migrations up to this one are older than the rule.
const BEFORE_THE_RULE: i64 = 33;
/// The newest migration of the last release. Each release raises it, and adds its migrations to `released.txt`.
const LAST_RELEASE: i64 = 33;
/// The statement by which a migration says that older programs cannot serve the tables any more.
const RAISES: &str = "update oldest_program set migration = ";

/// A migration's statements in lower case, without comments, and with single spaces.
fn statements(migration: &Migration) -> Vec<String> {
    let lines = migration.statements.lines();
    let code: Vec<&str> = lines
        .map(|line| line.split("--").next().unwrap_or_default())
        .collect();
    code.join(" ")
        .split(';')
        .map(|statement| {
            let words: Vec<&str> = statement.split_whitespace().collect();
            words.join(" ").to_lowercase()
        })
        .filter(|statement| !statement.is_empty())
        .collect()
}

/// The tables, and the indexes that are not unique, that the migrations before this one have made.
fn made_before(version: i64) -> (BTreeSet<String>, BTreeSet<String>) {
    let earlier = FILES
        .map(Migration::of)
        .into_iter()
        .filter(|one| one.version < version);
    let statements: Vec<String> = earlier.flat_map(|one| statements(&one)).collect();
    let named = |begin: &str| {
        let made = statements
            .iter()
            .filter_map(|statement| statement.strip_prefix(begin));
        made.map(|rest| name(rest.trim_start_matches("if not exists ")))
            .collect()
    };
    (named("create table "), named("create index "))
}

/// The first name of this text.
fn name(text: &str) -> String {
    text.split([' ', '(']).next().unwrap_or_default().to_owned()
}

/// The statements that break a program of the previous release, one line for each.
fn problems(migration: &Migration) -> Vec<String> {
    let (tables, indexes) = made_before(migration.version);
    let (released, _) = made_before(LAST_RELEASE + 1);
    let problem = |statement: &String| -> Option<&'static str> {
        let changed = ["drop table ", "update ", "alter table "].iter();
        let changed = changed
            .filter_map(|begin| statement.strip_prefix(begin))
            .map(name);
        if changed.into_iter().any(|table| !released.contains(&table)) {
            return None;
        }
        if statement.starts_with("create table ") {
            return None;
        }
        if let Some(rest) = statement.strip_prefix("insert into ") {
            return tables
                .contains(&name(rest))
                .then_some("writes rows that old programs read");
        }
        if let Some((_, on)) = statement
            .strip_prefix("create unique index ")
            .and_then(|rest| rest.split_once(" on "))
        {
            return tables
                .contains(&name(on))
                .then_some("refuses rows that old programs write");
        }
        if let Some((index, on)) = statement
            .strip_prefix("create index ")
            .and_then(|rest| rest.split_once(" on "))
        {
            let is_large = tables.contains(&name(on));
            return (is_large && !index.starts_with("if not exists ")).then_some(
                "needs IF NOT EXISTS, so that the index of a large table can be made before the upgrade",
            );
        }
        if let Some(rest) = statement.strip_prefix("drop index ") {
            let is_known = indexes.contains(&name(rest.trim_start_matches("if exists ")));
            return (!is_known).then_some("drops an index that keeps rows unique");
        }
        if statement.starts_with("alter table ") && statement.contains(" set (fillfactor = ") {
            return None;
        }
        // Both databases only change the table's definition. A program of the previous release must not read the column of
        // a new kind of row.
        if statement.starts_with("alter table ") && statement.ends_with(" drop not null") {
            return None;
        }
        let added = statement
            .strip_prefix("alter table ")
            .and_then(|rest| rest.split_once(" add column "));
        let Some((_, column)) = added else {
            return Some("is none of the statements that add something");
        };
        if column.contains(" not null") && !column.contains(" default ") {
            return Some("old programs leave the column out: it needs a default");
        }
        [" unique", " primary key", " references ", " check"]
            .iter()
            .any(|limit| column.contains(limit))
            .then_some("limits what old programs write")
    };
    statements(migration)
        .iter()
        .filter_map(|statement| Some(format!("{}: {statement}", problem(statement)?)))
        .collect()
}

/// The program that a migration names as the oldest that can serve its tables.
fn oldest_program(migration: &Migration) -> Option<i64> {
    let statements = statements(migration);
    statements
        .iter()
        .find_map(|statement| statement.strip_prefix(RAISES)?.parse().ok())
}

/// Why the release before could not work on the tables that this migration leaves.
fn refusal(migration: &Migration) -> Option<String> {
    match oldest_program(migration) {
        // Only programs older than this one use what it removes.
        Some(needed) if needed <= LAST_RELEASE => None,
        Some(needed) => Some(format!(
            "programs that know number {needed} were not released yet"
        )),
        None => problems(migration).into_iter().next(),
    }
}

#[test]
fn programs_of_the_previous_release_work_on_the_new_tables() {
    let new = FILES
        .map(Migration::of)
        .into_iter()
        .filter(|one| one.version > BEFORE_THE_RULE);
    for migration in new {
        let refused = refusal(&migration);
        assert!(
            refused.is_none(),
            "number {}: {} (docs/upgrades.md#what-a-migration-may-do)",
            migration.version,
            refused.unwrap_or_default()
        );
    }
}

#[test]
fn a_migration_that_removes_something_is_refused() {
    let of = |statements: &'static str| Migration {
        version: 9_999,
        description: String::new(),
        statements,
    };
    for refused in [
        "DROP TABLE charges;",
        "ALTER TABLE charges DROP COLUMN status;",
        "ALTER TABLE charges RENAME COLUMN status TO state;",
        "ALTER TABLE charges ADD COLUMN\n note TEXT NOT NULL;",
        "ALTER TABLE charges ADD COLUMN note TEXT UNIQUE;",
        "ALTER TABLE charges ALTER COLUMN status SET NOT NULL;",
        "CREATE UNIQUE INDEX charges_once ON charges (item_name);",
        "CREATE INDEX charges_by_item ON charges (item_name);",
        "DROP INDEX attempts_one_under_way;",
        "INSERT INTO partners (id) VALUES ('a');",
        "UPDATE charges SET status = 'new';",
        "DROP TABLE visits; UPDATE oldest_program SET migration = 9998;",
    ] {
        assert!(refusal(&of(refused)).is_some(), "{refused}");
    }
    for accepted in [
        "-- DROP TABLE charges;\nCREATE TABLE notes (a TEXT NOT NULL); INSERT INTO notes VALUES ('a');",
        "ALTER TABLE charges ADD COLUMN note TEXT; ALTER TABLE charges ADD COLUMN a TEXT NOT NULL DEFAULT '';",
        "CREATE INDEX IF NOT EXISTS charges_by_item ON charges (item_name);",
        "ALTER TABLE charges SET (fillfactor = 70);",
        "ALTER TABLE charges ALTER COLUMN item_name DROP NOT NULL;",
        "DROP INDEX charges_of_partner;",
        "UPDATE report_progress SET version = 0; ALTER TABLE report_progress DROP COLUMN version; DROP TABLE report_progress;",
        "CREATE TABLE notes (a TEXT); CREATE UNIQUE INDEX notes_once ON notes (a);",
        "DROP TABLE visits; UPDATE oldest_program SET migration = 33;",
    ] {
        assert_eq!(refusal(&of(accepted)), None, "{accepted}");
    }
}
