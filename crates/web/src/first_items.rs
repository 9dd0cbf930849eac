//! A list in a body, of which only the first items are kept.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

/// The first `MAX` items of a list. The others take no memory.
#[derive(Debug)]
pub struct FirstItems<T, const MAX: usize> {
    /// The items that are kept.
    pub items: Vec<T>,
    /// Whether the list has more.
    pub has_more: bool,
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for FirstItems<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(List(PhantomData))
    }
}

struct List<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for List<T, MAX> {
    type Value = FirstItems<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while items.len() < MAX {
            match list.next_element()? {
                Some(item) => items.push(item),
                None => {
                    return Ok(FirstItems {
                        items,
                        has_more: false,
                    });
                }
            }
        }
        let mut has_more = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            has_more = true;
        }
        Ok(FirstItems { items, has_more })
    }
}
