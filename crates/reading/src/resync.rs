//! Finds the next valid record after damaged bytes.
//!
//! Records have no sync marker, so every offset with a plausible length field is a candidate. A candidate is valid if
//! the checksum over its length, key and reading matches; the probability of a false match is 2⁻³². One pass over the
//! file computes the checksums of all candidates: with P(n) the CRC-32 of the first n bytes, the CRC-32 of the bytes
//! from s to e is P(e) xor P(s) shifted by e − s bytes (Adler, zlib's `crc32_combine`). The work is therefore linear in
//! the number of skipped bytes, whatever lengths they claim.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read};

use crc32fast::Hasher;

use crate::record::{HEAD, Head};

/// Number of bytes before the key and the reading: the length and the checksum.
const UNSUMMED: u64 = 8;
/// Initial and maximum number of bytes per read. The first read is short, because the next record is usually near.
const CHUNK: u64 = 4 << 10;
const MAX_CHUNK: u64 = 1 << 20;

/// An offset at which a record may start. Candidates are ordered by their end.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    end: u64,
    start: u64,
    length: u32,
    /// The checksum it claims.
    claimed: u32,
    /// CRC-32 of all bytes that were read before its key.
    before: u32,
}

impl Candidate {
    /// `until_end` is the CRC-32 of all bytes that were read before its end.
    fn is_sound(&self, until_end: u32) -> bool {
        let summed = self.end - self.start - UNSUMMED;
        let length = crc32fast::hash(&self.length.to_le_bytes());
        let mut shifted = Hasher::new_with_initial_len(self.before ^ length, 0);
        shifted.combine(&Hasher::new_with_initial_len(0, summed));
        until_end ^ shifted.finalize() == self.claimed
    }
}

/// Offset of the first valid record in `input`, which is positioned at `from` and ends at `length`.
pub(crate) fn next_record(input: &mut impl Read, from: u64, length: u64) -> io::Result<Option<u64>> {
    let mut window = Window { bytes: Vec::new(), base: from, hashed: from, hasher: Hasher::new() };
    let mut pending: BinaryHeap<Reverse<Candidate>> = BinaryHeap::new();
    let (mut start, mut chunk) = (from, CHUNK);
    loop {
        let read = window.read(input, chunk.min(length - window.end()))?;
        chunk = (chunk * 2).min(MAX_CHUNK);
        while start + UNSUMMED <= window.end() {
            if let Some(mut candidate) = window.candidate(start, length) {
                if let Some(found) = first_sound(&mut pending, &mut window, start + UNSUMMED) {
                    return Ok(Some(found));
                }
                candidate.before = window.crc_until(start + UNSUMMED);
                pending.push(Reverse(candidate));
            }
            start += 1;
        }
        let end = window.end();
        if let Some(found) = first_sound(&mut pending, &mut window, end) {
            return Ok(Some(found));
        }
        if read == 0 {
            return Ok(None);
        }
        window.drop_before(start);
    }
}

/// The start of the first valid candidate that ends at or before `until`; drops the invalid ones.
fn first_sound(pending: &mut BinaryHeap<Reverse<Candidate>>, window: &mut Window, until: u64) -> Option<u64> {
    while pending.peek().is_some_and(|Reverse(candidate)| candidate.end <= until) {
        let Reverse(candidate) = pending.pop()?;
        if candidate.is_sound(window.crc_until(candidate.end)) {
            return Some(candidate.start);
        }
    }
    None
}

/// A part of the file, and the CRC-32 of all bytes hashed so far.
struct Window {
    bytes: Vec<u8>,
    /// Offset in the file of the first byte in the window.
    base: u64,
    /// Offset up to which bytes were hashed.
    hashed: u64,
    hasher: Hasher,
}

impl Window {
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    fn read(&mut self, input: &mut impl Read, count: u64) -> io::Result<usize> {
        input.by_ref().take(count).read_to_end(&mut self.bytes)
    }

    /// The candidate at an offset, if its length is plausible and it ends within the file.
    fn candidate(&self, start: u64, file_length: u64) -> Option<Candidate> {
        let at = (start - self.base) as usize;
        let fields: [u8; 8] = self.bytes.get(at..at + 8)?.try_into().ok()?;
        let length = u32::from_le_bytes(fields[..4].try_into().ok()?);
        let claimed = u32::from_le_bytes(fields[4..].try_into().ok()?);
        let end = start + HEAD as u64 + u64::from(length);
        (Head::is_length(length) && end <= file_length).then_some(Candidate {
            end,
            start,
            length,
            claimed,
            before: 0,
        })
    }

    /// CRC-32 of all bytes before an offset in the window. Offsets must not decrease from call to call.
    fn crc_until(&mut self, offset: u64) -> u32 {
        let range = (self.hashed - self.base) as usize..(offset - self.base) as usize;
        self.hasher.update(&self.bytes[range]);
        self.hashed = offset;
        self.hasher.clone().finalize()
    }

    fn drop_before(&mut self, offset: u64) {
        let end = self.end();
        self.crc_until(end);
        self.bytes.drain(..(offset - self.base) as usize);
        self.base = offset;
    }
}
