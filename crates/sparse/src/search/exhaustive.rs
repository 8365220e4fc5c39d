//! Scores every posting of the query terms exactly. The scorer processes one block of passages at a time, and within a
//! block one term at a time.
//!
//! ```text
//! postings of term 1 ─→ contributions ─┐
//! postings of term 2 ─→ contributions ─┴→ sums [f64; BLOCK] ─→ above the threshold and allowed? ─→ Selection
//! ```
//!
//! This scorer is faster if most passages with a query term become hits, because it processes each posting once. The
//! other scorer ([`upper_bounds`](super::upper_bounds)) computes bounds first, and then the scores of candidates.

use std::cell::Cell;

use control::Control;
use kernels::impacts::RANK_INTERVAL;
use ranking::Hit;

use crate::Error;
use crate::index::segment::Segment;
use crate::postings::{ABSENT, BLOCK, Bitmap, Gaps8, Gaps16Cursor, OVERFLOW, Postings};
use crate::scoring::bm25::saturated;
use crate::scoring::contribution_table::ContributionTable;
use crate::search::query_terms::{SegmentQuery, SegmentTerm};
use crate::search::top_k::{Selection, UNTOUCHED};

/// Number of sums that are compared with the threshold together when hits are collected.
const GROUP: usize = 64;

thread_local! {
    /// The buffers of the scorer, reused by the next query on this thread.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Per-thread buffers, reused across queries.
struct Scratch {
    /// The sums of one block; all are [`UNTOUCHED`] (−0.0) between queries.
    sums: [f64; BLOCK],
    /// For each query term, its contribution by impact code. There may be more of these tables than terms.
    by_code: Vec<[f64; 256]>,
}

/// Maximum number of tables that are kept for the next query. A table takes 2 KiB.
const MAX_KEPT_TABLES: usize = 64;

/// Reads the postings of a term, one block at a time.
enum PostingsReader<'a> {
    Gaps16(Gaps16Cursor<'a>),
    Gaps8(Gaps8<'a>),
    Bitmap(Bitmap<'a>),
}

/// Adds the contributions of one term to the sums of a block.
struct TermScorer<'a> {
    reader: PostingsReader<'a>,
    /// The term's contribution, by impact code.
    by_code: &'a [f64; 256],
    term: &'a SegmentTerm<'a>,
}

/// Scores the passages of a segment that have a query term. Pushes a passage to the selection if it is allowed and its
/// score is above the selection's threshold.
pub(crate) fn score(
    query: &SegmentQuery<'_>,
    selection: &mut Selection,
    control: &Control,
) -> Result<(), Error> {
    let &SegmentQuery { segment, ref terms, ref contributions, ref allowed, .. } = query;
    let mut scratch =
        SCRATCH.take().unwrap_or_else(|| Box::new(Scratch { sums: [UNTOUCHED; BLOCK], by_code: Vec::new() }));
    let Scratch { sums, by_code } = &mut *scratch;
    if by_code.len() < terms.len() {
        by_code.resize(terms.len(), [0.0; 256]);
    }
    let scorers = terms.iter().zip(by_code);
    let mut scorers: Vec<TermScorer<'_>> =
        scorers.map(|(term, by_code)| TermScorer::new(term, contributions, by_code)).collect();
    let passages = segment.passages.len();
    for block in 0..passages.div_ceil(BLOCK) {
        control.check()?;
        for scorer in &mut scorers {
            scorer.accumulate(segment, block, contributions, sums);
        }
        let first = block * BLOCK;
        let sums = &mut sums[..BLOCK.min(passages - first)];
        collect(segment, allowed.as_deref(), first as u32, sums, selection);
    }
    scratch.by_code.truncate(MAX_KEPT_TABLES);
    scratch.by_code.shrink_to(MAX_KEPT_TABLES);
    // Not reached after an error or a panic. The buffers are then dropped, because some sums may not be untouched.
    SCRATCH.set(Some(scratch));
    Ok(())
}

impl<'a> TermScorer<'a> {
    /// Computes the term's contributions and writes them to `by_code`.
    fn new(
        term: &'a SegmentTerm<'a>,
        contributions: &ContributionTable,
        by_code: &'a mut [f64; 256],
    ) -> Self {
        for (contribution, &frequency) in by_code.iter_mut().zip(&contributions.normalized_frequencies) {
            *contribution = f64::from(saturated(term.weight, frequency));
        }
        // Adding `UNTOUCHED` (−0.0) changes no sum, and an untouched sum stays untouched.
        by_code[usize::from(ABSENT)] = UNTOUCHED;
        by_code[usize::from(OVERFLOW)] = UNTOUCHED;
        let reader = match term.postings.postings {
            Postings::Gaps16(gaps) => PostingsReader::Gaps16(Gaps16Cursor::new(gaps)),
            Postings::Gaps8(gaps) => PostingsReader::Gaps8(gaps),
            Postings::Bitmap(bitmap) => PostingsReader::Bitmap(bitmap),
        };
        Self { reader, by_code, term }
    }

    /// Adds the term's contributions to the sums of a block.
    fn accumulate(
        &mut self,
        segment: &Segment,
        block: usize,
        contributions: &ContributionTable,
        sums: &mut [f64; BLOCK],
    ) {
        let start = block * BLOCK;
        let by_code = self.by_code;
        match &mut self.reader {
            PostingsReader::Gaps16(cursor) => {
                cursor.for_each_before((start + BLOCK) as u32, |passage, code| {
                    sums[passage as usize % BLOCK] += by_code[usize::from(code)];
                });
            }
            PostingsReader::Gaps8(gaps) => {
                let mut at = 0usize;
                for &[gap, code] in gaps.block(block) {
                    at += usize::from(gap);
                    sums[at % BLOCK] += by_code[usize::from(code)];
                }
            }
            PostingsReader::Bitmap(bitmap) => accumulate_bitmap(bitmap, start, by_code, sums),
        }
        for (passage, frequency) in self.term.postings.overflow.within(start as u32, (start + BLOCK) as u32) {
            let fieldnorm = segment.impacts.fieldnorms()[passage as usize];
            let frequency = contributions.normalized_frequency(frequency, fieldnorm);
            sums[passage as usize % BLOCK] += f64::from(saturated(self.term.weight, frequency));
        }
    }
}

/// Adds a term's contributions to the sums of the block that starts with passage `start`.
fn accumulate_bitmap(bitmap: &Bitmap<'_>, start: usize, by_code: &[f64; 256], sums: &mut [f64; BLOCK]) {
    // `Bitmap::rank` accepts only multiples of the interval.
    const { assert!(BLOCK.is_multiple_of(RANK_INTERVAL)) };
    let mut codes = bitmap.codes[bitmap.rank(start)..].iter();
    let words = bitmap.words[start / 64..].iter();
    for (word, sums) in words.zip(sums.as_chunks_mut::<64>().0) {
        let mut word = u64::from_le_bytes(*word);
        while word != 0 {
            let &code = codes.next().expect("a code for each bit");
            sums[word.trailing_zeros() as usize % 64] += by_code[usize::from(code)];
            word &= word - 1;
        }
    }
}

/// Pushes a passage of a block to the selection if it is allowed and its sum is above the selection's threshold. Then
/// makes all sums untouched again. `start` is the block's first passage.
fn collect(
    segment: &Segment,
    allowed: Option<&[u64]>,
    start: u32,
    sums: &mut [f64],
    selection: &mut Selection,
) {
    for (group, sums) in (start..).step_by(GROUP).zip(sums.chunks_mut(GROUP)) {
        let threshold = selection.threshold_bits();
        let mut above = 0u64;
        for (bit, sum) in sums.iter().enumerate() {
            above |= u64::from(sum.to_bits().cast_signed() > threshold) << bit;
        }
        above &= allowed.map_or(u64::MAX, |allowed| allowed[group as usize / 64]);
        while above != 0 {
            let bit = above.trailing_zeros();
            above &= above - 1;
            let score = sums[bit as usize] as f32;
            selection.push(Hit { ord: segment.passages.ord(group + bit), score });
        }
        sums.fill(UNTOUCHED);
    }
}
