//! serde reads a row: a struct by the names of its columns, a tuple by their order, another type from the first column.

use std::fmt::Display;

use rusqlite::types::ValueRef;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use tokio_postgres::types::Type;

use super::SqlError;

/// A type that is read from a row.
pub(crate) trait FromRow: DeserializeOwned + Send + 'static {}

impl<T: DeserializeOwned + Send + 'static> FromRow for T {}

/// A row as the database gave it.
#[derive(Clone, Copy)]
pub(super) enum SqlRow<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

/// A value of a row that is not null.
enum Value<'a> {
    Int(i64),
    Text(&'a str),
}

impl SqlRow<'_> {
    /// Reads the row.
    pub(super) fn read<T: FromRow>(self) -> Result<T, SqlError> {
        T::deserialize(Column { row: self, at: 0 })
    }
}

/// A column of a row. A struct, a map and a tuple are read from the whole row.
#[derive(Clone, Copy)]
struct Column<'a> {
    row: SqlRow<'a>,
    at: usize,
}

impl<'a> Column<'a> {
    /// All columns of its row.
    fn all(self) -> impl Iterator<Item = Self> {
        let count = match self.row {
            SqlRow::Sqlite(row) => row.as_ref().column_count(),
            SqlRow::Postgres(row) => row.len(),
        };
        (0..count).map(move |at| Self { at, ..self })
    }

    fn name(self) -> &'a str {
        match self.row {
            SqlRow::Sqlite(row) => row.as_ref().column_name(self.at).unwrap_or_default(),
            SqlRow::Postgres(row) => row.columns().get(self.at).map_or("", |column| column.name()),
        }
    }

    fn value(self) -> Result<Option<Value<'a>>, SqlError> {
        Ok(match self.row {
            SqlRow::Sqlite(row) => match row.get_ref(self.at)? {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(Value::Int(number)),
                other => Some(Value::Text(other.as_str().map_err(SqlError::custom)?)),
            },
            SqlRow::Postgres(row) => match row.columns().get(self.at).map(tokio_postgres::Column::type_) {
                Some(&Type::INT8) => row.try_get::<_, Option<i64>>(self.at)?.map(Value::Int),
                Some(&Type::INT4) => row
                    .try_get::<_, Option<i32>>(self.at)?
                    .map(|number| Value::Int(number.into())),
                _ => row.try_get::<_, Option<&str>>(self.at)?.map(Value::Text),
            },
        })
    }

    /// Reads the value. An error names the column only, because the reader's own text could have the value.
    fn read<T>(self, read: impl FnOnce(Option<Value<'a>>) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.value()
            .and_then(read)
            .map_err(|_| SqlError::Column(self.name().to_owned()))
    }
}

impl<'de> Deserializer<'de> for Column<'de> {
    type Error = SqlError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SqlError> {
        self.read(|value| match value {
            None => visitor.visit_unit(),
            Some(Value::Int(number)) => visitor.visit_i64(number),
            Some(Value::Text(text)) => visitor.visit_str(text),
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SqlError> {
        self.read(|value| match value {
            None => visitor.visit_none(),
            _ => visitor.visit_some(self),
        })
    }

    /// A column of yes and no is declared `BIGINT` and holds 0 or 1. Bind `i64::from(yes)`.
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SqlError> {
        self.read(|value| match value {
            Some(Value::Int(number)) => visitor.visit_bool(number != 0),
            _ => Err(SqlError::custom("no number")),
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SqlError> {
        self.read(|value| match value {
            Some(Value::Text(word)) => visitor.visit_enum(word.into_deserializer()),
            _ => Err(SqlError::custom("no word")),
        })
    }

    /// A column holds a list as JSON.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SqlError> {
        self.read(|value| match value {
            Some(Value::Text(json)) => serde_json::Deserializer::from_str(json)
                .deserialize_seq(visitor)
                .map_err(SqlError::custom),
            _ => Err(SqlError::custom("no list")),
        })
    }

    /// The columns must have the names and the order of the fields: serde takes a missing column for `None`.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SqlError> {
        if !self.all().map(Self::name).eq(fields.iter().copied()) {
            return Err(SqlError::Column(fields.join(", ")));
        }
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, SqlError> {
        visitor.visit_seq(SeqDeserializer::new(self.all()))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SqlError> {
        visitor.visit_map(MapDeserializer::new(
            self.all().map(|column| (column.name(), column)),
        ))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct tuple_struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, SqlError> for Column<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Error for SqlError {
    /// Without serde's text, which can have a value of the row.
    fn custom<T: Display>(_: T) -> Self {
        Self::Column("that was read".to_owned())
    }
}
