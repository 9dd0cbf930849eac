//! The steps from an empty database to today's tables, each applied once. Listed here and not by sqlx's macro, which would
//! compile sqlx and SQLite a second time, for the compiler.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// A file of `migrations/`: its name, which has its number and what it is about, and its statements.
macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../migrations/", $name)))),+]
    };
}

const FILES: [(&str, &str); 15] = files![
    "0001_charges.sql",
    "0002_saved_cards.sql",
    "0003_shopper_actions.sql",
    "0010_webhooks.sql",
    "0011_both_databases.sql",
    "0013_page_assets.sql",
    "0014_provider_cards.sql",
    "0015_events.sql",
    "0016_visits.sql",
    "0020_keys_that_turn.sql",
    "0021_payment_page.sql",
    "0022_money_paid.sql",
    "0024_site_ids_and_asset_hashes.sql",
    "0030_health_checks.sql",
    "0031_webhook_secrets.sql",
];

/// All of them, in their order.
pub(super) fn all() -> Migrator {
    Migrator::with_migrations(FILES.map(|(name, statements)| migration(name, statements)).into())
}

fn migration(name: &str, statements: &'static str) -> Migration {
    let (number, about) = name
        .trim_end_matches(".sql")
        .split_once('_')
        .expect("a number before the first `_`");
    Migration::new(
        number.parse().expect("a number"),
        about.replace('_', " ").into(),
        MigrationType::Simple,
        statements.into_sql_str(),
        false,
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// As sqlx itself reads the folder: a database that its macro migrated is one that this migrates further.
    #[tokio::test]
    async fn every_file_is_applied_as_sqlx_reads_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let read = Migrator::new(folder.as_path()).await.unwrap();
        let facts = |migrator: &Migrator| -> Vec<_> {
            let migrations = migrator.migrations.iter();
            migrations
                .map(|it| {
                    (
                        it.version,
                        it.description.clone(),
                        it.migration_type,
                        it.checksum.clone(),
                        it.no_tx,
                    )
                })
                .collect()
        };
        assert_eq!(facts(&all()), facts(&read));
    }
}
