//! The values that PostgreSQL takes and gives.

use std::sync::Arc;

use bytes::BytesMut;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::super::row::Value;
use super::super::{Param, SqlAnswer, SqlError, SqlRow};

/// What the server gave for a statement.
pub(super) enum ServerAnswer {
    Changes(u64),
    Rows(Vec<Row>),
}

impl ServerAnswer {
    /// The same with a copy of each value.
    pub(super) fn read(self) -> Result<SqlAnswer, SqlError> {
        match self {
            Self::Changes(changes) => Ok(SqlAnswer {
                rows: Vec::new(),
                changes,
            }),
            Self::Rows(rows) => Ok(SqlAnswer {
                rows: read_rows(&rows)?,
                changes: 0,
            }),
        }
    }
}

/// The rows, with the names of their columns.
fn read_rows(found: &[Row]) -> Result<Vec<SqlRow>, SqlError> {
    let columns = found.first().map(Row::columns).unwrap_or_default();
    let names: Arc<[String]> = columns.iter().map(|column| column.name().to_owned()).collect();
    let rows = found.iter().map(|row| {
        let values: Result<Vec<Value>, SqlError> = (0..names.len()).map(|at| Ok(row.try_get(at)?)).collect();
        Ok(SqlRow::new(Arc::clone(&names), values?))
    });
    rows.collect()
}

impl ToSql for Param<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Int(number) => number.to_sql(ty, out),
            Self::Text(text) => text.as_deref().to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::TEXT].contains(ty)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        if *ty == Type::INT8 {
            i64::from_sql(ty, raw).map(Self::Int)
        } else if *ty == Type::INT4 {
            i32::from_sql(ty, raw).map(|number| Self::Int(number.into()))
        } else {
            String::from_sql(ty, raw).map(Self::Text)
        }
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::INT8 || *ty == Type::INT4 || <String as FromSql>::accepts(ty)
    }
}
