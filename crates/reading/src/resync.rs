//! Finds the next sound record behind damage.
//!
//! Records have no marker, so every offset is a candidate at which a plausible length stands. A candidate is sound if the
//! checksum over its length, key and reading agrees: a wrong one does with a probability of 2⁻³². Checksums of all
//! candidates come from one pass over the file: with P(n) the CRC-32 of the first n bytes, the CRC-32 of the bytes from
//! s to e is P(e) xor P(s) shifted by e − s bytes (Adler, zlib's `crc32_combine`). So the work is linear in the bytes
//! that are passed over, whatever lengths they claim.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read};

use crc32fast::Hasher;

use crate::record::{HEAD, Head};

/// Bytes before the checksummed key and reading: the length and the checksum itself.
const UNSUMMED: u64 = 8;
/// Bytes read at once, first and at most. The next record is mostly near.
const CHUNK: u64 = 4 << 10;
const MAX_CHUNK: u64 = 1 << 20;

/// A place that may be a record, ordered by its end.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    end: u64,
    start: u64,
    length: u32,
    /// The checksum it claims.
    claimed: u32,
    /// CRC-32 of what was read before its key.
    before: u32,
}

impl Candidate {
    /// `until_end` is the CRC-32 of all that was read before its end.
    fn is_sound(&self, until_end: u32) -> bool {
        let summed = self.end - self.start - UNSUMMED;
        let length = crc32fast::hash(&self.length.to_le_bytes());
        let mut shifted = Hasher::new_with_initial_len(self.before ^ length, 0);
        shifted.combine(&Hasher::new_with_initial_len(0, summed));
        until_end ^ shifted.finalize() == self.claimed
    }
}

/// Where the first sound record begins that `input`, which stands at `from`, has before `length`.
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

/// The start of the first sound candidate that ends by `until`; drops the others that do.
fn first_sound(pending: &mut BinaryHeap<Reverse<Candidate>>, window: &mut Window, until: u64) -> Option<u64> {
    while pending.peek().is_some_and(|Reverse(candidate)| candidate.end <= until) {
        let Reverse(candidate) = pending.pop()?;
        if candidate.is_sound(window.crc_until(candidate.end)) {
            return Some(candidate.start);
        }
    }
    None
}

/// A part of the file, and the CRC-32 of all that was read of it.
struct Window {
    bytes: Vec<u8>,
    /// Offset of the first byte in the file.
    base: u64,
    /// Offset up to which the hasher has got.
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

    /// What stands at an offset, if its length is that of a reading and it ends within the file.
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

    /// CRC-32 of all bytes before an offset within the window, not before one asked for earlier.
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
