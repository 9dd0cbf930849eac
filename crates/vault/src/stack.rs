//! Overwrites what cryptography leaves on the stack. Its contexts are passed on by value, and the place that a value was
//! moved from keeps the digits that it held until something else is called.

use std::hint::black_box;

use zeroize::Zeroize;

/// Deeper than the ciphers and digests here reach.
const BYTES: usize = 16 * 1024;

/// Does the work, and overwrites the part of the stack that it was done on.
pub(crate) fn cleaned<T>(work: impl FnOnce() -> T) -> T {
    let done = deeper(work);
    overwrite();
    done
}

/// A frame of its own, so that all of the work's lies below the caller's.
#[inline(never)]
fn deeper<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[inline(never)]
fn overwrite() {
    let mut room = [0_u8; BYTES];
    room.zeroize();
    // The compiler must believe that somebody looks.
    black_box(&room);
}
