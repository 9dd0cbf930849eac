//! Overwrites the data that cryptography leaves on the stack. Its contexts are passed by value, and the old place of a
//! moved value keeps the digits until another call overwrites it.

use std::hint::black_box;

use zeroize::Zeroize;

/// More than the ciphers and digests here use.
const BYTES: usize = 16 * 1024;

/// Runs `work`, and overwrites the part of the stack that it used.
pub(crate) fn cleaned<T>(work: impl FnOnce() -> T) -> T {
    let done = deeper(work);
    overwrite();
    done
}

/// A stack frame of its own, so that all frames of the work are below the caller's.
#[inline(never)]
fn deeper<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[inline(never)]
fn overwrite() {
    let mut room = [0_u8; BYTES];
    room.zeroize();
    // Keeps the compiler from removing the write as unused.
    black_box(&room);
}
