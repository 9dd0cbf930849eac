//! Builds a document, plain or in gzip, from parts that many documents share and that are compressed once, and from a
//! request's own texts, which are not compressed. A request therefore needs no time for compression, and the length of
//! an answer never shows whether text from a link repeats a shopper's own data (the BREACH attack).

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// The member's header (RFC 1952): deflate, no name, no time, an unknown system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// The last block of a deflate stream (RFC 1951, 3.2.4): stored, and empty.
const LAST_BLOCK: [u8; 5] = [1, 0, 0, 0xff, 0xff];
/// A stored block's kind, when it begins at a byte, and is not the last.
const STORED: u8 = 0;
/// Space for the overhead of data that cannot be compressed.
const PACKED_SLACK_BYTES: usize = 64;

/// The target of a document: plain text or gzip.
pub(super) trait DocumentWriter {
    /// A text of this request.
    fn text(&mut self, text: &str);
    /// A part that many documents share.
    fn part(&mut self, part: &CompressedPart);
}

/// A part that many documents share, with its compressed form.
#[derive(Debug, Default)]
pub(crate) struct CompressedPart {
    plain: String,
    /// Deflate blocks that end at a byte boundary and do not refer to earlier data; empty if they would not be shorter.
    packed: Vec<u8>,
}

impl CompressedPart {
    /// Stores `plain` and its compressed form.
    pub(super) fn new(plain: String) -> Self {
        let packed = packed(plain.as_bytes()).filter(|packed| packed.len() < plain.len());
        Self {
            packed: packed.unwrap_or_default(),
            plain,
        }
    }

    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        self.plain.len()
    }
}

/// `plain` in deflate blocks that end at a byte boundary; `None` if compression fails.
fn packed(plain: &[u8]) -> Option<Vec<u8>> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut packed = Vec::with_capacity(plain.len() + PACKED_SLACK_BYTES);
    let status = compress.compress_vec(plain, &mut packed, FlushCompress::Sync);
    let is_whole =
        usize::try_from(compress.total_in()) == Ok(plain.len()) && packed.len() < packed.capacity();
    (matches!(status, Ok(Status::Ok)) && is_whole).then_some(packed)
}

impl DocumentWriter for String {
    fn text(&mut self, text: &str) {
        self.push_str(text);
    }

    fn part(&mut self, part: &CompressedPart) {
        self.push_str(&part.plain);
    }
}

/// A document in gzip.
pub(super) struct Gzip {
    packed: Vec<u8>,
    /// Texts that go into the next stored block.
    stored: Vec<u8>,
    /// The checksum and the length of the plain document.
    sum: Crc,
}

impl Gzip {
    /// An empty document with capacity for `bytes`.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        let mut packed = Vec::with_capacity(bytes);
        packed.extend_from_slice(&GZIP_HEADER);
        Self {
            packed,
            stored: Vec::new(),
            sum: Crc::new(),
        }
    }

    /// Everything that was written.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.store();
        self.packed.extend_from_slice(&LAST_BLOCK);
        self.packed.extend_from_slice(&self.sum.sum().to_le_bytes());
        self.packed.extend_from_slice(&self.sum.amount().to_le_bytes());
        self.packed
    }

    /// Writes the texts since the last shared part, uncompressed.
    fn store(&mut self) {
        for block in self.stored.chunks(usize::from(u16::MAX)) {
            let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
            self.packed.push(STORED);
            self.packed.extend_from_slice(&length.to_le_bytes());
            self.packed.extend_from_slice(&(!length).to_le_bytes());
            self.packed.extend_from_slice(block);
        }
        self.stored.clear();
    }
}

impl DocumentWriter for Gzip {
    fn text(&mut self, text: &str) {
        self.sum.update(text.as_bytes());
        self.stored.extend_from_slice(text.as_bytes());
    }

    fn part(&mut self, part: &CompressedPart) {
        self.sum.update(part.plain.as_bytes());
        if part.packed.is_empty() {
            self.stored.extend_from_slice(part.plain.as_bytes());
        } else {
            self.store();
            self.packed.extend_from_slice(&part.packed);
        }
    }
}

#[cfg(test)]
mod tests;
