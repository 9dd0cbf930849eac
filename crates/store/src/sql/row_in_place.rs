//! Rows that are added up and not kept.

use super::SqlError;
use super::row::Value;

/// A row whose texts need not be copied to be read. Columns are counted from 0.
pub(crate) enum RowInPlace<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl RowInPlace<'_> {
    /// A number, or `None` for null.
    pub(crate) fn int_or_null(&self, column: usize) -> Result<Option<i64>, SqlError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => match row.try_get(column)? {
                Value::Int(number) => Ok(Some(number)),
                Value::Null => Ok(None),
                Value::Text(_) => Err(SqlError::Column(column.to_string())),
            },
        }
    }

    /// A number.
    pub(crate) fn int(&self, column: usize) -> Result<i64, SqlError> {
        let number = self.int_or_null(column)?;
        number.ok_or_else(|| SqlError::Column(column.to_string()))
    }

    /// A text, or `None` for null.
    pub(crate) fn text_or_null(&self, column: usize) -> Result<Option<&str>, SqlError> {
        match self {
            Self::Sqlite(row) => {
                let text = row.get_ref(column)?.as_str_or_null();
                text.map_err(|_| SqlError::Column(column.to_string()))
            }
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    /// A text.
    pub(crate) fn text(&self, column: usize) -> Result<&str, SqlError> {
        let text = self.text_or_null(column)?;
        text.ok_or_else(|| SqlError::Column(column.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::super::StoreError;
    use super::super::super::test_database::TestDatabase;
    use super::super::query;
    use super::{RowInPlace, SqlError};

    type Read = fn(&RowInPlace<'_>) -> Result<(), SqlError>;

    const ROWS: &str = "SELECT CAST(1 AS BIGINT), CAST('a' AS TEXT), CAST(NULL AS TEXT), CAST(NULL AS BIGINT) \
         UNION ALL SELECT 2, 'b\u{e9}', NULL, NULL ORDER BY 1";

    #[tokio::test]
    async fn each_row_is_added_as_it_is() {
        let database = TestDatabase::new();
        let store = database.connect().await;
        let added = query(ROWS).fold(&store.readers, Vec::new(), |rows, row| {
            let nulls = (row.text_or_null(2)?.is_none(), row.int_or_null(3)?);
            rows.push((row.int(0)?, row.text(1)?.to_owned(), nulls));
            Ok(())
        });
        let nulls = (true, None);
        let expected = [(1, "a".to_owned(), nulls), (2, "b\u{e9}".to_owned(), nulls)];
        assert_eq!(added.await.unwrap(), expected);
    }

    #[tokio::test]
    async fn a_value_of_another_type_is_an_error() {
        let database = TestDatabase::new();
        let store = database.connect().await;
        let wrong: [Read; 5] = [
            |row| row.text(0).map(drop),
            |row| row.int(1).map(drop),
            |row| row.text(2).map(drop),
            |row| row.int(3).map(drop),
            |row| row.int(9).map(drop),
        ];
        for read in wrong {
            let added = query(ROWS).fold(&store.readers, (), move |(), row| Ok(read(row)?));
            assert!(matches!(added.await, Err(StoreError::Database(_))));
        }
    }

    #[tokio::test]
    async fn after_an_error_no_more_rows_are_added() {
        let database = TestDatabase::new();
        let store = database.connect().await;
        let seen = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&seen);
        let added = query(ROWS).fold(&store.readers, (), move |(), _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Err(StoreError::Unusable("row"))
        });
        assert!(matches!(added.await, Err(StoreError::Unusable("row"))));
        assert_eq!(seen.load(Ordering::Relaxed), 1);
        let rows: Vec<i64> = query(ROWS).fetch_all(&store.readers).await.unwrap();
        assert_eq!(rows, [1, 2]);
    }
}
