//! Scoring every posting in full, a term at a time, in windows of passages.
//!
//! Best where most passages with a term are hits: nothing is looked up twice.

use std::cell::Cell;

use control::Control;
use kernels::impacts::RANK_INTERVAL;
use ranking::Hit;

use crate::Error;
use crate::index::segment::Segment;
use crate::postings::gap_cursor::LongCursor;
use crate::postings::{ABSENT, Bitmap, ESCAPE, Postings, ShortGaps, WINDOW};
use crate::scoring::bm25::saturated;
use crate::scoring::contribution_table::ContributionTable;
use crate::search::query_terms::{Part, SegmentTerm};
use crate::search::top_k::{Selection, UNTOUCHED};

/// Sums looked at together when hits are collected.
const GROUP: usize = 64;

thread_local! {
    /// Sums of a window, all untouched between uses.
    static SUMS: Cell<Option<Box<[f64; WINDOW]>>> = const { Cell::new(None) };
}

enum Reader<'a> {
    Long(LongCursor<'a>),
    Short(ShortGaps<'a>),
    Bitmap(Bitmap<'a>),
}

struct TermScorer<'a> {
    reader: Reader<'a>,
    /// For each code what it adds.
    contributions: [f64; 256],
    term: &'a SegmentTerm<'a>,
}

/// Offers every passage of a segment that has a term, and is allowed, to the selection.
pub(crate) fn score(part: &Part<'_>, selection: &mut Selection, control: &Control) -> Result<(), Error> {
    let &Part { segment, ref terms, ref ratios, ref allowed, .. } = part;
    let mut scorers: Vec<TermScorer<'_>> = terms.iter().map(|term| TermScorer::new(term, ratios)).collect();
    let mut sums = SUMS.take().unwrap_or_else(|| Box::new([UNTOUCHED; WINDOW]));
    let passages = segment.passages.len();
    for window in 0..passages.div_ceil(WINDOW) {
        control.check()?;
        for scorer in &mut scorers {
            scorer.add(segment, window, ratios, &mut sums);
        }
        let first = window * WINDOW;
        let sums = &mut sums[..WINDOW.min(passages - first)];
        collect(segment, allowed.as_deref(), first as u32, sums, selection);
    }
    // Not reached after an error or a panic: what was touched then goes with the sums.
    SUMS.set(Some(sums));
    Ok(())
}

impl<'a> TermScorer<'a> {
    fn new(term: &'a SegmentTerm<'a>, ratios: &ContributionTable) -> Self {
        let mut contributions = ratios.by_code.map(|ratio| f64::from(saturated(term.weight, ratio)));
        // Added to a sum, this changes nothing, not even that it is untouched.
        contributions[usize::from(ABSENT)] = UNTOUCHED;
        contributions[usize::from(ESCAPE)] = UNTOUCHED;
        let reader = match term.impacts.postings {
            Postings::Long(long) => Reader::Long(LongCursor::new(long)),
            Postings::Short(short) => Reader::Short(short),
            Postings::Bitmap(bitmap) => Reader::Bitmap(bitmap),
        };
        Self { reader, contributions, term }
    }

    /// Adds what the passages of a window get from the term.
    fn add(
        &mut self,
        segment: &Segment,
        window: usize,
        ratios: &ContributionTable,
        sums: &mut [f64; WINDOW],
    ) {
        let start = window * WINDOW;
        let contributions = &self.contributions;
        match &mut self.reader {
            Reader::Long(cursor) => {
                while let Some((passage, code)) = cursor.next_before((start + WINDOW) as u32) {
                    sums[passage as usize % WINDOW] += contributions[usize::from(code)];
                }
            }
            Reader::Short(short) => {
                let mut at = 0usize;
                for &[gap, code] in short.window(window) {
                    at += usize::from(gap);
                    sums[at % WINDOW] += contributions[usize::from(code)];
                }
            }
            Reader::Bitmap(bitmap) => add_bitmap(bitmap, start, contributions, sums),
        }
        for (passage, frequency) in self.term.impacts.escapes.within(start as u32, (start + WINDOW) as u32) {
            let ratio = ratios.escaped(frequency, segment.length_codes()[passage as usize]);
            sums[passage as usize % WINDOW] += f64::from(saturated(self.term.weight, ratio));
        }
    }
}

fn add_bitmap(bitmap: &Bitmap<'_>, start: usize, contributions: &[f64; 256], sums: &mut [f64; WINDOW]) {
    const { assert!(WINDOW.is_multiple_of(RANK_INTERVAL)) };
    let mut codes = bitmap.codes[bitmap.rank(start)..].iter();
    let words = bitmap.words[start / 64..].iter();
    for (word, sums) in words.zip(sums.as_chunks_mut::<64>().0) {
        let mut word = u64::from_le_bytes(*word);
        while word != 0 {
            let &code = codes.next().expect("a code for each bit");
            sums[word.trailing_zeros() as usize % 64] += contributions[usize::from(code)];
            word &= word - 1;
        }
    }
}

/// Offers what was touched to the selection and makes it untouched again.
fn collect(
    segment: &Segment,
    allowed: Option<&[u64]>,
    start: u32,
    sums: &mut [f64],
    selection: &mut Selection,
) {
    for (group, sums) in (start..).step_by(GROUP).zip(sums.chunks_mut(GROUP)) {
        let bound = selection.bound();
        let mut above = 0u64;
        for (bit, sum) in sums.iter().enumerate() {
            above |= u64::from(sum.to_bits().cast_signed() > bound) << bit;
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
