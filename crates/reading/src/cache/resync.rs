//! Finds the next valid record after damaged bytes.
//!
//! Records do not begin with a marker, so every offset at which the next four bytes encode a possible length of a
//! reading is a candidate for the start of a record. A candidate is valid if the checksum over its length, key and
//! reading matches; random bytes match with a probability of 2⁻³².
//!
//! One pass over the file computes the checksums of all candidates. It hashes every byte once and keeps the CRC-32 of
//! the first n bytes, crc(n), at the offsets n where the key of a candidate starts and where its reading ends. The CRC-32 of the bytes from offset s to
//! offset e follows from crc(s) and crc(e), as in zlib's `crc32_combine` (Adler): advance crc(s) over e − s zero bytes,
//! and xor the result with crc(e). So the cost of a candidate does not grow with its length, even if damaged bytes look like the
//! headers of long records, and the search takes time that is almost linear in the number of bytes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read};

use crc32fast::Hasher;

use super::record::{HEADER_BYTES, RecordHeader};

/// Number of bytes of a record before its key: the length and the checksum.
const BYTES_BEFORE_KEY: u64 = 8;
/// Size of the first chunk that is read. It is small, because the next record is usually near. Each chunk is twice as
/// large as the previous one, up to [`MAX_CHUNK_BYTES`].
const FIRST_CHUNK_BYTES: u64 = 4 << 10;
/// Maximum size of a chunk.
const MAX_CHUNK_BYTES: u64 = 1 << 20;

/// An offset in the file at which a record may start. Candidates are ordered by their end.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    end: u64,
    start: u64,
    /// The length of the reading, as given in the candidate's header.
    length: u32,
    /// The checksum, as given in the candidate's header.
    expected_crc: u32,
    /// CRC-32 of all bytes from the start of the search to the start of the key. It is 0 until [`next_record`] sets it.
    crc_before_key: u32,
}

impl Candidate {
    /// Whether the checksum matches. `crc_until_end` is the CRC-32 of all bytes from the start of the search to the end
    /// of the candidate.
    fn is_valid(&self, crc_until_end: u32) -> bool {
        // `crc_until_end` is over all bytes before the key, then the key and the reading. The expected checksum is over
        // the length, the key and the reading. CRC-32 is linear: replacing all bytes before the key with the length
        // changes the result by the xor of their CRC-32s, advanced over as many zero bytes as the key and the reading
        // have. `combine` does the advancing.
        let shift_bytes = self.end - self.start - BYTES_BEFORE_KEY;
        let length_crc = crc32fast::hash(&self.length.to_le_bytes());
        let mut shifted = Hasher::new_with_initial_len(self.crc_before_key ^ length_crc, 0);
        shifted.combine(&Hasher::new_with_initial_len(0, shift_bytes));
        crc_until_end ^ shifted.finalize() == self.expected_crc
    }
}

/// Returns the offset of the first valid record that starts at or after the offset `from`, or `None` if the rest of the
/// file has no valid record. `input` is the file, positioned at `from`; `file_length` is its length in bytes.
pub(super) fn next_record(input: &mut impl Read, from: u64, file_length: u64) -> io::Result<Option<u64>> {
    let mut buffer = HashedBuffer { bytes: Vec::new(), base: from, hashed_end: from, hasher: Hasher::new() };
    let mut pending: BinaryHeap<Reverse<Candidate>> = BinaryHeap::new();
    let (mut start, mut chunk) = (from, FIRST_CHUNK_BYTES);
    loop {
        let read = buffer.read(input, chunk.min(file_length - buffer.end()))?;
        chunk = (chunk * 2).min(MAX_CHUNK_BYTES);
        while start + BYTES_BEFORE_KEY <= buffer.end() {
            if let Some(mut candidate) = buffer.candidate(start, file_length) {
                // `crc_until` needs ascending offsets, so the candidates that end before this key are checked first.
                if let Some(found) = first_valid(&mut pending, &mut buffer, start + BYTES_BEFORE_KEY) {
                    return Ok(Some(found));
                }
                candidate.crc_before_key = buffer.crc_until(start + BYTES_BEFORE_KEY);
                pending.push(Reverse(candidate));
            }
            start += 1;
        }
        let end = buffer.end();
        if let Some(found) = first_valid(&mut pending, &mut buffer, end) {
            return Ok(Some(found));
        }
        if read == 0 {
            return Ok(None);
        }
        buffer.drop_before(start);
    }
}

/// Checks the candidates that end at or before `until`, in the order of their ends, and returns the start of the first
/// valid one. Drops the invalid ones.
fn first_valid(
    pending: &mut BinaryHeap<Reverse<Candidate>>,
    buffer: &mut HashedBuffer,
    until: u64,
) -> Option<u64> {
    while pending.peek().is_some_and(|Reverse(candidate)| candidate.end <= until) {
        let Reverse(candidate) = pending.pop()?;
        if candidate.is_valid(buffer.crc_until(candidate.end)) {
            return Some(candidate.start);
        }
    }
    None
}

/// A part of the file, and the CRC-32 of all bytes from the start of the search up to an offset in this part.
struct HashedBuffer {
    bytes: Vec<u8>,
    /// Offset in the file of the first byte of the buffer.
    base: u64,
    /// Offset in the file up to which bytes have been hashed.
    hashed_end: u64,
    hasher: Hasher,
}

impl HashedBuffer {
    /// Offset in the file after the last byte of the buffer.
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Appends up to `count` bytes to the buffer, and returns how many were read.
    fn read(&mut self, input: &mut impl Read, count: u64) -> io::Result<usize> {
        input.by_ref().take(count).read_to_end(&mut self.bytes)
    }

    /// Returns the candidate at an offset, if its length is possible and it ends within the file.
    fn candidate(&self, start: u64, file_length: u64) -> Option<Candidate> {
        let index = (start - self.base) as usize;
        let fields: [u8; 8] = self.bytes.get(index..index + 8)?.try_into().ok()?;
        let length = u32::from_le_bytes(fields[..4].try_into().ok()?);
        let expected_crc = u32::from_le_bytes(fields[4..].try_into().ok()?);
        let end = start + HEADER_BYTES as u64 + u64::from(length);
        (RecordHeader::is_possible_length(length) && end <= file_length).then_some(Candidate {
            end,
            start,
            length,
            expected_crc,
            crc_before_key: 0,
        })
    }

    /// Returns the CRC-32 of all bytes from the start of the search up to an offset in the buffer. The offset must not
    /// be lower than in the previous call.
    fn crc_until(&mut self, offset: u64) -> u32 {
        let range = (self.hashed_end - self.base) as usize..(offset - self.base) as usize;
        self.hasher.update(&self.bytes[range]);
        self.hashed_end = offset;
        self.hasher.clone().finalize()
    }

    /// Hashes the whole buffer, and then removes the bytes before an offset.
    fn drop_before(&mut self, offset: u64) {
        let end = self.end();
        self.crc_until(end);
        self.bytes.drain(..(offset - self.base) as usize);
        self.base = offset;
    }
}
