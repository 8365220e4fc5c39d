//! A reading as the bytes of a record.

use crate::cache::ReadingKey;
use crate::kept::{KeptPassage, KeptSpan, TokenSum};

/// Bytes before the reading: its length, the checksum, the key.
pub(crate) const HEAD: usize = 24;
/// Bytes of a reading without its spans, and of a span.
const PASSAGE: usize = 28;
const SPAN: usize = 16;
/// More spans than any passage has; what claims to be longer is no record.
const MOST: usize = PASSAGE + SPAN * (1 << 20);

/// What stands before a reading.
pub(crate) struct Head {
    pub length: u32,
    crc: u32,
    pub key: ReadingKey,
}

impl Head {
    /// None if no reading is of such a length.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let length = fields.u32()?;
        let crc = fields.u32()?;
        let key = ReadingKey(u128::from_le_bytes(fields.take()?));
        Self::is_length(length).then_some(Self { length, crc, key })
    }

    /// Whether a reading can have this length.
    pub fn is_length(length: u32) -> bool {
        let spans = (length as usize).checked_sub(PASSAGE);
        spans.is_some_and(|spans| spans.is_multiple_of(SPAN)) && length as usize <= MOST
    }

    pub fn agrees_with(&self, reading: &[u8]) -> bool {
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

/// Appends a record; returns the length of its reading.
pub(crate) fn write(key: ReadingKey, kept: &KeptPassage, into: &mut Vec<u8>) -> u32 {
    let mut reading = Vec::with_capacity(PASSAGE + SPAN * kept.spans.len());
    reading.extend(kept.relevance.to_le_bytes());
    for sum in [kept.starts, kept.ends] {
        reading.extend(sum.max.to_le_bytes());
        reading.extend(sum.sum.to_le_bytes());
    }
    for span in &kept.spans {
        reading.extend(span.bytes.start.to_le_bytes());
        reading.extend(span.bytes.end.to_le_bytes());
        reading.extend(span.start.to_le_bytes());
        reading.extend(span.end.to_le_bytes());
    }
    into.extend((reading.len() as u32).to_le_bytes());
    into.extend(checksum(key, &reading).to_le_bytes());
    into.extend(key.0.to_le_bytes());
    into.extend(&reading);
    reading.len() as u32
}

/// None if the bytes are no reading.
pub(crate) fn read(bytes: &[u8]) -> Option<KeptPassage> {
    let mut fields = Fields(bytes);
    let relevance = fields.f32().filter(|relevance| relevance.is_finite())?;
    let mut sum = || Some(TokenSum { max: fields.f32()?, sum: f64::from_le_bytes(fields.take()?) });
    let (starts, ends) = (sum()?, sum()?);
    let mut spans = Vec::with_capacity(fields.0.len() / SPAN);
    while !fields.0.is_empty() {
        let bytes = fields.u32()?..fields.u32()?;
        spans.push(KeptSpan { bytes, start: fields.f32()?, end: fields.f32()? });
    }
    Some(KeptPassage { relevance, spans, starts, ends })
}

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
