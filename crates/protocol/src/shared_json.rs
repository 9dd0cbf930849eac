//! A part of a page's data that many pages share. Its JSON is written once and copied into each page.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A value with its JSON. Cheap to clone.
#[derive(Debug)]
pub struct SharedJson<T>(Arc<Written<T>>);

#[derive(Debug)]
struct Written<T> {
    value: T,
    /// `None` if the value could not be written; then serializing it gives the error.
    json: Option<Box<RawValue>>,
}

impl<T: Serialize> From<T> for SharedJson<T> {
    fn from(value: T) -> Self {
        let json = to_raw_value(&value).ok();
        Self(Arc::new(Written { value, json }))
    }
}

impl<T: Serialize + Default> Default for SharedJson<T> {
    fn default() -> Self {
        T::default().into()
    }
}

impl<T> Clone for SharedJson<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: PartialEq> PartialEq for SharedJson<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.value == other.0.value
    }
}

impl<T: Eq> Eq for SharedJson<T> {}

impl<T> Deref for SharedJson<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: Serialize> Serialize for SharedJson<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.json {
            Some(json) => json.serialize(serializer),
            None => self.0.value.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct PartlyShared {
        before: u8,
        shared: SharedJson<serde_json::Value>,
    }

    #[test]
    fn a_shared_part_is_the_json_of_its_value() {
        let shared = SharedJson::from(json!({ "text": "</script>", "number": 1.5, "none": null }));
        let page = json!({ "before": 1, "shared": *shared }).to_string();
        let whole = serde_json::to_string(&PartlyShared { before: 1, shared }).unwrap();
        assert_eq!(whole, page);
    }
}
