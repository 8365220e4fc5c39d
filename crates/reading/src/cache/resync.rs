//! Finds the next valid record after damaged bytes.
//!
//! Records have no sync marker, so every offset whose length field is possible is a candidate. A candidate is valid if
//! the checksum over its length, key and reading matches; the probability of a false match is 2⁻³². One pass over the
//! file computes the checksums of all candidates: with P(n) the CRC-32 of the first n bytes, the CRC-32 of the bytes
//! from s to e is P(e) xor P(s) shifted by e − s bytes (Adler, zlib's `crc32_combine`). The work is therefore linear in
//! the number of skipped bytes, whatever lengths they claim.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read};

use crc32fast::Hasher;

use super::record::{HEADER_BYTES, RecordHeader};

/// Bytes of a record before its key: the length and the checksum.
const BEFORE_KEY: u64 = 8;
/// Number of bytes of the first read, which is short because the next record is usually near. Each read is twice as long as
/// the one before.
const FIRST_CHUNK: u64 = 4 << 10;
/// Maximum number of bytes of a read.
const MAX_CHUNK: u64 = 1 << 20;

/// An offset at which a record may start. Candidates are ordered by their end.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    end: u64,
    start: u64,
    length: u32,
    /// The checksum in its header.
    claimed_crc: u32,
    /// CRC-32 of all bytes from the start of the search to its key.
    crc_before_key: u32,
}

impl Candidate {
    /// `crc_until_end` is the CRC-32 of all bytes from the start of the search to its end.
    fn is_valid(&self, crc_until_end: u32) -> bool {
        let summed_bytes = self.end - self.start - BEFORE_KEY;
        let length_crc = crc32fast::hash(&self.length.to_le_bytes());
        let mut shifted = Hasher::new_with_initial_len(self.crc_before_key ^ length_crc, 0);
        shifted.combine(&Hasher::new_with_initial_len(0, summed_bytes));
        crc_until_end ^ shifted.finalize() == self.claimed_crc
    }
}

/// Offset of the first valid record in `input`, which is positioned at `from` and ends at `file_length`.
pub(super) fn next_record(input: &mut impl Read, from: u64, file_length: u64) -> io::Result<Option<u64>> {
    let mut buffer = HashedBuffer { bytes: Vec::new(), base: from, hashed: from, hasher: Hasher::new() };
    let mut pending: BinaryHeap<Reverse<Candidate>> = BinaryHeap::new();
    let (mut start, mut chunk) = (from, FIRST_CHUNK);
    loop {
        let read = buffer.read(input, chunk.min(file_length - buffer.end()))?;
        chunk = (chunk * 2).min(MAX_CHUNK);
        while start + BEFORE_KEY <= buffer.end() {
            if let Some(mut candidate) = buffer.candidate(start, file_length) {
                if let Some(found) = first_valid(&mut pending, &mut buffer, start + BEFORE_KEY) {
                    return Ok(Some(found));
                }
                candidate.crc_before_key = buffer.crc_until(start + BEFORE_KEY);
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

/// The start of the first valid candidate that ends at or before `until`; drops the invalid ones.
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

/// A part of the file, and the CRC-32 of all bytes hashed so far.
struct HashedBuffer {
    bytes: Vec<u8>,
    /// Offset in the file of the first byte in the buffer.
    base: u64,
    /// Offset up to which bytes were hashed.
    hashed: u64,
    hasher: Hasher,
}

impl HashedBuffer {
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    fn read(&mut self, input: &mut impl Read, count: u64) -> io::Result<usize> {
        input.by_ref().take(count).read_to_end(&mut self.bytes)
    }

    /// The candidate at an offset, if its length is possible and it ends within the file.
    fn candidate(&self, start: u64, file_length: u64) -> Option<Candidate> {
        let at = (start - self.base) as usize;
        let fields: [u8; 8] = self.bytes.get(at..at + 8)?.try_into().ok()?;
        let length = u32::from_le_bytes(fields[..4].try_into().ok()?);
        let claimed_crc = u32::from_le_bytes(fields[4..].try_into().ok()?);
        let end = start + HEADER_BYTES as u64 + u64::from(length);
        (RecordHeader::is_possible_length(length) && end <= file_length).then_some(Candidate {
            end,
            start,
            length,
            claimed_crc,
            crc_before_key: 0,
        })
    }

    /// CRC-32 of all bytes before an offset in the buffer. Offsets must not decrease from call to call.
    fn crc_until(&mut self, offset: u64) -> u32 {
        let range = (self.hashed - self.base) as usize..(offset - self.base) as usize;
        self.hasher.update(&self.bytes[range]);
        self.hashed = offset;
        self.hasher.clone().finalize()
    }

    /// Removes the bytes before an offset, after hashing the whole buffer.
    fn drop_before(&mut self, offset: u64) {
        let end = self.end();
        self.crc_until(end);
        self.bytes.drain(..(offset - self.base) as usize);
        self.base = offset;
    }
}
