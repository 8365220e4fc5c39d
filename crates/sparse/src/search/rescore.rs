//! Computes the exact scores of candidates, term by term: looks up the impact code of the term's posting in each
//! candidate, and adds the contribution that the code stands for. How codes are looked up depends on the layout of the
//! term's postings:
//!
//! ```text
//! Bitmap   one lookup per candidate, by the ranks of the bitmap (a SIMD kernel)
//! Gaps8    only in blocks with candidates: entries up to each candidate, or all codes of the block through an array
//! Gaps16   entries up to the last candidate, four at a time or one at a time
//! ```

use kernels::impacts::{ImpactKernels, RankedBitmap};

use crate::postings::{ABSENT, BLOCK, Bitmap, Gaps8, Gaps16, Gaps16Cursor, OVERFLOW, Postings};
use crate::scoring::bm25::saturated;
use crate::search::query_terms::SegmentQuery;

/// Minimum number of passages for which it pays off to compute a term's contributions for all 256 codes first.
/// `cargo bench -p sparse --bench scorers` has values of `k` on both sides of this number.
const MIN_PASSAGES_FOR_TABLE: usize = 48;

/// If a block of 8-bit gaps has more entries per candidate than this, reading the entries up to each candidate is
/// faster than writing the codes of the whole block to an array (`cargo bench -p sparse --bench scorers`).
const MAX_ENTRIES_PER_PASSAGE_FOR_ARRAY: usize = 16;

/// If 16-bit gaps have more entries per candidate than this, reading four entries at a time up to each candidate is
/// faster than reading every entry (an estimate from the numbers of instructions).
const MAX_ENTRIES_PER_PASSAGE_TO_MERGE: usize = 4;

/// Computes exact scores of passages of a segment. Its buffers are reused by the next query.
pub(crate) struct Rescorer {
    /// The sum of contributions of each candidate.
    sums: Vec<f64>,
    /// The code of one term's posting in each candidate; [`ABSENT`] if the candidate does not have the term.
    codes: Vec<u8>,
    /// The code of one term's posting in each passage of a block; all [`ABSENT`] between uses.
    block_codes: Box<[u8; BLOCK]>,
    /// One term's contribution by impact code.
    by_code: Box<[f32; 256]>,
}

impl Rescorer {
    pub fn new() -> Self {
        Self {
            sums: Vec::new(),
            codes: Vec::new(),
            block_codes: Box::new([ABSENT; BLOCK]),
            by_code: Box::new([0.0; 256]),
        }
    }

    /// Returns the scores of passages of one segment. The passages must be in ascending order.
    pub fn scores(&mut self, query: &SegmentQuery<'_>, passages: &[u32]) -> impl Iterator<Item = f32> {
        let &SegmentQuery { segment, ref terms, ref contributions, .. } = query;
        let frequencies = &contributions.normalized_frequencies;
        let Self { sums, codes, block_codes, by_code } = self;
        sums.clear();
        sums.resize(passages.len(), 0.0);
        for term in terms {
            codes.clear();
            codes.resize(passages.len(), ABSENT);
            match term.postings.postings {
                Postings::Bitmap(Bitmap { words, ranks, codes: term_codes }) => {
                    let bitmap = RankedBitmap { words, ranks, codes: term_codes };
                    ImpactKernels::detect().codes(bitmap, passages, codes);
                }
                Postings::Gaps8(gaps) => read_gaps8(gaps, passages, codes, block_codes),
                Postings::Gaps16(gaps) => read_gaps16(gaps, passages, codes),
            }
            if passages.len() < MIN_PASSAGES_FOR_TABLE {
                accumulate(codes, sums, |code| saturated(term.weight, frequencies[usize::from(code)]));
            } else {
                for (contribution, &frequency) in by_code.iter_mut().zip(frequencies) {
                    *contribution = saturated(term.weight, frequency);
                }
                accumulate(codes, sums, |code| by_code[usize::from(code)]);
            }
            let overflow = term.postings.overflow;
            if !overflow.is_empty() {
                let overflowed =
                    codes.iter().zip(passages).zip(&mut *sums).filter(|((code, _), _)| **code == OVERFLOW);
                for ((_, &passage), sum) in overflowed {
                    let fieldnorm = segment.impacts.fieldnorms()[passage as usize];
                    let frequency =
                        contributions.normalized_frequency(overflow.frequency(passage), fieldnorm);
                    *sum += f64::from(saturated(term.weight, frequency));
                }
            }
        }
        sums.iter().map(|&sum| sum as f32)
    }
}

/// Adds a term's contributions to the sums. The codes [`ABSENT`] and [`OVERFLOW`] have a normalized frequency of 0, so
/// they add nothing.
fn accumulate(codes: &[u8], sums: &mut [f64], contribution: impl Fn(u8) -> f32) {
    for (sum, &code) in sums.iter_mut().zip(codes) {
        *sum += f64::from(contribution(code));
    }
}

/// Writes to `codes` the code of each passage that has the term.
fn read_gaps16(gaps: Gaps16<'_>, passages: &[u32], codes: &mut [u8]) {
    if gaps.gaps.len() > MAX_ENTRIES_PER_PASSAGE_TO_MERGE * passages.len() {
        return find_in_gaps16(gaps, passages, codes);
    }
    merge_gaps16(gaps, passages, codes);
}

/// Writes to `codes` the code of each passage that has the term. Reads the term's entries one at a time, up to the last
/// passage.
fn merge_gaps16(gaps: Gaps16<'_>, passages: &[u32], codes: &mut [u8]) {
    let Some(&last) = passages.last() else { return };
    let mut at = 0;
    Gaps16Cursor::new(gaps).for_each_before(last.saturating_add(1), |passage, code| {
        while passages[at] < passage {
            at += 1;
        }
        if passages[at] == passage {
            codes[at] = code;
        }
    });
}

/// Writes to `codes` the code of each passage that has the term. Reads the term's entries, four at a time, up to each
/// passage.
fn find_in_gaps16(gaps: Gaps16<'_>, passages: &[u32], codes: &mut [u8]) {
    // The number of entries that were read, and the passage of the last one.
    let (mut read, mut current) = (0, 0u32);
    for (code, &passage) in codes.iter_mut().zip(passages) {
        while let Some(four) = gaps.gaps[read..].first_chunk::<4>() {
            let next = current.wrapping_add(sum_of_gaps16(four));
            if next > passage {
                break;
            }
            (read, current) = (read + 4, next);
        }
        while let Some(&gap) = gaps.gaps.get(read) {
            let next = current.wrapping_add(u32::from(u16::from_le_bytes(gap)));
            if next > passage {
                break;
            }
            (read, current) = (read + 1, next);
        }
        if read > 0 && current == passage {
            *code = gaps.codes[read - 1];
        }
    }
}

/// Returns the sum of four 16-bit gaps. The first addition adds two pairs of gaps, one in each half of a u64; the second
/// adds the two sums.
fn sum_of_gaps16(gaps: &[[u8; 2]; 4]) -> u32 {
    let gaps = u64::from_le_bytes(gaps.as_flattened().try_into().expect("four times two bytes"));
    let pairs = (gaps & 0x0000_ffff_0000_ffff) + (gaps >> 16 & 0x0000_ffff_0000_ffff);
    pairs as u32 + (pairs >> 32) as u32
}

/// Writes to `codes` the code of each passage that has the term. All `block_codes` are [`ABSENT`] before and after the
/// call.
fn read_gaps8(gaps: Gaps8<'_>, mut passages: &[u32], mut codes: &mut [u8], block_codes: &mut [u8; BLOCK]) {
    while let Some(&first) = passages.first() {
        let block = first as usize / BLOCK;
        let (entries, start) = (gaps.block(block), block * BLOCK);
        let inside = passages.partition_point(|&passage| (passage as usize) < start + BLOCK);
        let (passages_here, later_passages) = passages.split_at(inside);
        let (codes_here, later_codes) = codes.split_at_mut(inside);
        (passages, codes) = (later_passages, later_codes);
        if entries.len() > MAX_ENTRIES_PER_PASSAGE_FOR_ARRAY * inside {
            find_in_entries(entries, start as u32, passages_here, codes_here);
            continue;
        }
        let mut at = 0;
        for &[gap, code] in entries {
            at += usize::from(gap);
            block_codes[at % BLOCK] = code;
        }
        for (code, &passage) in codes_here.iter_mut().zip(passages_here) {
            *code = block_codes[passage as usize % BLOCK];
        }
        block_codes[..BLOCK.min(at + 1)].fill(ABSENT);
    }
}

/// Writes to `codes` the code of each passage that has the term. Reads the block's entries, four at a time, up to each
/// passage. `start` is the block's first passage.
fn find_in_entries(mut entries: &[[u8; 2]], start: u32, passages: &[u32], codes: &mut [u8]) {
    // The passage and the code of the last entry that was read.
    let (mut current, mut current_code) = (start, ABSENT);
    for (code, &passage) in codes.iter_mut().zip(passages) {
        while let Some((four, rest)) = entries.split_first_chunk::<4>() {
            let next = current + sum_of_gaps8(four);
            if next > passage {
                break;
            }
            (entries, current, current_code) = (rest, next, four[3][1]);
        }
        while let Some((&[gap, next_code], rest)) = entries.split_first() {
            if current + u32::from(gap) > passage {
                break;
            }
            (entries, current, current_code) = (rest, current + u32::from(gap), next_code);
        }
        if current == passage {
            *code = current_code;
        }
    }
}

/// Returns the sum of four 8-bit gaps. The gaps are every other byte of the entries, so after masking they are the four
/// 16-bit lanes of a u64. Multiplying this u64 by 0x0001_0001_0001_0001 adds up all gaps in the highest lane.
fn sum_of_gaps8(entries: &[[u8; 2]; 4]) -> u32 {
    let bytes = entries.as_flattened().try_into().expect("four times two bytes");
    let gaps = u64::from_le_bytes(bytes) & 0x00ff_00ff_00ff_00ff;
    (gaps.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_readers_of_gaps16_find_the_same_codes(
            // The first gap may be 0. Entries with the code `ABSENT` bridge gaps that do not fit in 16 bits.
            first in 0u16..3,
            entries in
                prop::collection::vec((1u16..=u16::MAX, prop_oneof![1 => Just(ABSENT), 4 => 1u8..=255]), 0..60),
            others in prop::collection::btree_set(0u32..2_000_000, 0..6),
            step in 1usize..8,
        ) {
            let gaps = entries.iter().enumerate().map(|(at, &(gap, _))| if at == 0 { first } else { gap });
            let gaps: Vec<u16> = gaps.collect();
            let codes: Vec<u8> = entries.iter().map(|&(_, code)| code).collect();
            let mut position = 0;
            let mut by_passage = BTreeMap::new();
            for (&gap, &code) in gaps.iter().zip(&codes) {
                position += u32::from(gap);
                by_passage.insert(position, code);
            }
            // Candidates with and without entries.
            let mut passages = others;
            passages.extend(by_passage.keys().step_by(step));
            let passages: Vec<u32> = passages.into_iter().collect();
            let code_of = |passage| by_passage.get(passage).copied().unwrap_or(ABSENT);
            let expected: Vec<u8> = passages.iter().map(code_of).collect();
            let gaps: Vec<[u8; 2]> = gaps.iter().map(|gap| gap.to_le_bytes()).collect();
            let gaps = Gaps16 { gaps: &gaps, codes: &codes };
            for read in [find_in_gaps16, merge_gaps16] {
                let mut found = vec![ABSENT; passages.len()];
                read(gaps, &passages, &mut found);
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
