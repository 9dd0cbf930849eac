//! Memory for documents. A thread uses the same memory again, which is in the processor's cache; memory that the
//! allocator gives is mostly not.

use std::cell::RefCell;
use std::hint::black_box;

use axum::body::Bytes;

/// How many buffers a thread keeps, and how large each can be, in bytes.
const KEPT_MAX: usize = 4;
const KEPT_BYTES_MAX: usize = 64 * 1_024;

thread_local! {
    /// Overwritten with zeros.
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Memory for one document. When it is dropped, its bytes are overwritten, like all memory that is freed.
#[derive(Debug)]
pub(super) struct KeptMemory(Vec<u8>);

impl KeptMemory {
    /// Memory for at least so many bytes.
    pub(super) fn for_bytes(bytes: usize) -> Self {
        let kept = KEPT.with_borrow_mut(Vec::pop).unwrap_or_default();
        let mut memory = Self(kept);
        memory.0.clear();
        memory.0.reserve(bytes);
        memory
    }

    /// The memory.
    pub(super) fn as_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }

    /// What was written, until all copies of it are dropped.
    pub(super) fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for KeptMemory {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for KeptMemory {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.0);
        if memory.capacity() > KEPT_BYTES_MAX {
            return;
        }
        memory.fill(0);
        // So that the compiler cannot leave the zeros out.
        black_box(memory.as_mut_slice());
        // At a thread's end there may be no place to keep it.
        let _ = KEPT.try_with(|kept| {
            if let Ok(mut kept) = kept.try_borrow_mut()
                && kept.len() < KEPT_MAX
            {
                kept.push(memory);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_and_nothing_of_the_last_document_is_in_it() {
        let mut first = KeptMemory::for_bytes(100);
        first.as_mut().extend_from_slice(b"a shopper's data");
        let place = first.as_ref().as_ptr();
        let document = first.into_bytes();
        assert_eq!(document, "a shopper's data");
        drop(document);
        KEPT.with_borrow(|kept| assert_eq!(kept.as_slice(), [[0; 16]]));
        let second = KeptMemory::for_bytes(16);
        assert_eq!((second.as_ref().as_ptr(), second.as_ref().len()), (place, 0));
    }
}
