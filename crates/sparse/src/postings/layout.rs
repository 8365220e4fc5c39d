//! The three layouts in bytes, and which a term gets.

use super::dictionary::ABSENT;
use super::{RANK_INTERVAL, WINDOW};

/// How a term's postings are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Layout {
    /// Gaps of two bytes, an entry for each posting.
    Long = 0,
    /// Gaps of two bytes, of which some needed entries to lead on.
    LedLong = 1,
    /// Gaps of a byte.
    Short = 2,
    /// A bit for each passage.
    Bitmap = 3,
}

impl Layout {
    pub const ALL: [Self; 4] = [Self::Long, Self::LedLong, Self::Short, Self::Bitmap];

    /// The layout of a term in `count` of `passages`. A bitmap is read 64 passages at a time and is worth some
    /// bytes more; short gaps need fewer bytes than long ones until most of them take two.
    fn choose(count: usize, passages: usize) -> Self {
        let windows = passages.div_ceil(WINDOW);
        if count >= 32 && count * 12 >= passages {
            Self::Bitmap
        } else if count > 4 * windows + 4 && count * 200 >= passages {
            Self::Short
        } else {
            Self::Long
        }
    }
}

/// Appends postings, as passages with codes, in the layout of their choice.
pub(crate) fn encode(postings: &[(u32, u8)], passages: usize, to: &mut Vec<u8>) -> Layout {
    let layout = Layout::choose(postings.len(), passages);
    match layout {
        Layout::Short => short(postings, passages, to),
        Layout::Bitmap => bitmap(postings, passages, to),
        Layout::Long | Layout::LedLong => return long(postings, to),
    }
    layout
}

/// Entries u32, where there are more than postings; gaps u16 each; codes.
fn long(postings: &[(u32, u8)], to: &mut Vec<u8>) -> Layout {
    let (mut gaps, mut codes, mut last) = (Vec::new(), Vec::new(), 0);
    for &(passage, code) in postings {
        while passage - last > u32::from(u16::MAX) {
            gaps.extend(u16::MAX.to_le_bytes());
            codes.push(ABSENT);
            last += u32::from(u16::MAX);
        }
        gaps.extend(((passage - last) as u16).to_le_bytes());
        codes.push(code);
        last = passage;
    }
    let led = codes.len() > postings.len();
    if led {
        to.extend((codes.len() as u32).to_le_bytes());
    }
    to.append(&mut gaps);
    to.append(&mut codes);
    if led { Layout::LedLong } else { Layout::Long }
}

/// For each window its first entry, and the number of all, u32; entries of a gap and a code.
fn short(postings: &[(u32, u8)], passages: usize, to: &mut Vec<u8>) {
    let (mut entries, mut rest) = (Vec::new(), postings);
    for window in 0..passages.div_ceil(WINDOW) {
        to.extend((entries.len() as u32).to_le_bytes());
        let inside = rest.partition_point(|&(passage, _)| (passage as usize) < (window + 1) * WINDOW);
        let mut last = (window * WINDOW) as u32;
        for &(passage, code) in &rest[..inside] {
            while passage - last > u32::from(u8::MAX) {
                entries.push([u8::MAX, ABSENT]);
                last += u32::from(u8::MAX);
            }
            entries.push([(passage - last) as u8, code]);
            last = passage;
        }
        rest = &rest[inside..];
    }
    to.extend((entries.len() as u32).to_le_bytes());
    to.extend(entries.as_flattened());
}

/// Words u64; bits set before every so many passages, u32; codes.
fn bitmap(postings: &[(u32, u8)], passages: usize, to: &mut Vec<u8>) {
    let mut words = vec![0u64; passages.div_ceil(64)];
    for &(passage, _) in postings {
        words[passage as usize / 64] |= 1 << (passage % 64);
    }
    words.iter().for_each(|word| to.extend(word.to_le_bytes()));
    let mut rank = 0;
    for words in words.chunks(RANK_INTERVAL / 64) {
        to.extend(u32::to_le_bytes(rank));
        rank += words.iter().map(|word| word.count_ones()).sum::<u32>();
    }
    to.extend(postings.iter().map(|&(_, code)| code));
}
