//! The body of a request to Stripe: form fields, in memory that is zeroed after sending.

use bytes::Bytes;
use url::form_urlencoded::byte_serialize;
use zeroize::Zeroizing;

/// Large enough for every card and name, because a buffer that grows would leave copies of a card number.
const BYTES: usize = 16 * 1024;

/// Form fields. Fields that a test server may not know are stored separately, so that they can be left out.
pub(super) struct FormFields {
    fields: Zeroizing<Vec<u8>>,
    optional: Vec<(&'static str, String)>,
}

impl Clone for FormFields {
    fn clone(&self) -> Self {
        let mut form = Self::new();
        form.fields.extend_from_slice(&self.fields);
        form.optional.clone_from(&self.optional);
        form
    }
}

impl FormFields {
    pub(super) fn new() -> Self {
        Self {
            fields: Zeroizing::new(Vec::with_capacity(BYTES)),
            optional: Vec::new(),
        }
    }

    /// Adds a field.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        push(&mut self.fields, name, value);
        self
    }

    /// Adds a field that may be left out.
    pub(super) fn with_optional(mut self, name: &'static str, value: &str) -> Self {
        self.optional.push((name, value.to_owned()));
        self
    }

    /// Whether this field may be left out.
    pub(super) fn is_optional(&self, name: &str) -> bool {
        self.optional.iter().any(|(optional, _)| *optional == name)
    }

    /// The form without the optional field of this name, or else without all of them; `None` if it has none.
    pub(super) fn without_optional(&self, refused: Option<&str>) -> Option<Self> {
        let mut form = self.clone();
        match refused.filter(|name| self.is_optional(name)) {
            Some(refused) => form.optional.retain(|(name, _)| *name != refused),
            None => form.optional.clear(),
        }
        (!self.optional.is_empty()).then_some(form)
    }

    /// The body.
    pub(super) fn into_body(mut self) -> Bytes {
        for (name, value) in std::mem::take(&mut self.optional) {
            push(&mut self.fields, name, &value);
        }
        Bytes::from_owner(self.fields)
    }
}

fn push(fields: &mut Vec<u8>, name: &str, value: &str) {
    if !fields.is_empty() {
        fields.push(b'&');
    }
    let parts = byte_serialize(name.as_bytes())
        .chain(std::iter::once("="))
        .chain(byte_serialize(value.as_bytes()));
    for part in parts {
        fields.extend_from_slice(part.as_bytes());
    }
}

#[cfg(test)]
mod tests;
