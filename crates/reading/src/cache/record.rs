//! Converts records, which are a header and a reading, to bytes and back. The format of the header is in `mod.rs`.
//!
//! | bytes | content of a reading |
//! |---|---|
//! | 4 | relevance, f32 |
//! | 4 + 8 | [`LogitSum`] over the start logits of the passage's tokens: `max` as f32, `sum` as f64 |
//! | 4 + 8 | [`LogitSum`] over their end logits: `max` as f32, `sum` as f64 |
//! | 16 per span | start and end of the span's byte range as u32, its start logit and its end logit as f32 |

use super::key::ReadingKey;
use crate::{LogitSum, StoredReading, StoredSpan};

/// Number of bytes of a record before the reading: the length of the reading, the checksum and the key.
pub(super) const HEADER_BYTES: usize = 24;
/// Number of bytes of a reading without its spans.
const SPANLESS_BYTES: usize = 28;
/// Number of bytes of a span.
const SPAN_BYTES: usize = 16;
/// Maximum length of a reading in bytes: that of a reading with 2²⁰ spans. No reading has that many, so a header with a
/// greater length must be damaged.
const MAX_READING_BYTES: usize = SPANLESS_BYTES + SPAN_BYTES * (1 << 20);

/// The header of a record.
pub(super) struct RecordHeader {
    /// Length of the reading in bytes.
    pub length: u32,
    /// CRC-32 of the length, the key and the reading.
    crc: u32,
    pub key: ReadingKey,
}

impl RecordHeader {
    /// Decodes a header. Returns `None` if it has a length that no reading can have.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let length = fields.u32()?;
        let crc = fields.u32()?;
        let key = ReadingKey(u128::from_le_bytes(fields.take()?));
        Self::is_possible_length(length).then_some(Self { length, crc, key })
    }

    /// Whether a reading can have this length.
    pub fn is_possible_length(length: u32) -> bool {
        let span_bytes = (length as usize).checked_sub(SPANLESS_BYTES);
        span_bytes.is_some_and(|bytes| bytes.is_multiple_of(SPAN_BYTES))
            && length as usize <= MAX_READING_BYTES
    }

    /// Whether the checksum matches this reading.
    pub fn matches(&self, reading: &[u8]) -> bool {
        self.crc == checksum(self.key, reading)
    }
}

fn checksum(key: ReadingKey, reading: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&(reading.len() as u32).to_le_bytes());
    hasher.update(&key.0.to_le_bytes());
    hasher.update(reading);
    hasher.finalize()
}

/// Appends a record to `output` and returns the length of its reading in bytes.
pub(super) fn write(key: ReadingKey, reading: &StoredReading, output: &mut Vec<u8>) -> u32 {
    let mut bytes = Vec::with_capacity(SPANLESS_BYTES + SPAN_BYTES * reading.spans.len());
    bytes.extend(reading.relevance.to_le_bytes());
    for sum in [reading.start_logit_sum, reading.end_logit_sum] {
        bytes.extend(sum.max.to_le_bytes());
        bytes.extend(sum.sum.to_le_bytes());
    }
    for span in &reading.spans {
        bytes.extend(span.bytes.start.to_le_bytes());
        bytes.extend(span.bytes.end.to_le_bytes());
        bytes.extend(span.start_logit.to_le_bytes());
        bytes.extend(span.end_logit.to_le_bytes());
    }
    output.extend((bytes.len() as u32).to_le_bytes());
    output.extend(checksum(key, &bytes).to_le_bytes());
    output.extend(key.0.to_le_bytes());
    output.extend(&bytes);
    bytes.len() as u32
}

/// Decodes a reading. Returns `None` if the bytes are not a reading.
pub(super) fn read(bytes: &[u8]) -> Option<StoredReading> {
    let mut fields = Fields(bytes);
    let relevance = fields.f32().filter(|relevance| relevance.is_finite())?;
    let mut sum = || Some(LogitSum { max: fields.f32()?, sum: f64::from_le_bytes(fields.take()?) });
    let (start_logit_sum, end_logit_sum) = (sum()?, sum()?);
    let mut spans = Vec::with_capacity(fields.0.len() / SPAN_BYTES);
    while !fields.0.is_empty() {
        let bytes = fields.u32()?..fields.u32()?;
        spans.push(StoredSpan { bytes, start_logit: fields.f32()?, end_logit: fields.f32()? });
    }
    Some(StoredReading { relevance, spans, start_logit_sum, end_logit_sum })
}

/// The bytes that have not been decoded yet.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn f32(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes)
    }
}
