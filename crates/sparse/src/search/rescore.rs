//! Scores of given passages, in full.

use kernels::impacts::{ImpactKernels, RankedBitmap};

use crate::postings::gap_cursor::LongCursor;
use crate::postings::{ABSENT, Bitmap, ESCAPE, LongGaps, Postings, ShortGaps, WINDOW};
use crate::scoring::bm25::saturated;
use crate::search::query_terms::Part;

/// With fewer passages, contributions are worked out as they are needed.
const WORTH_A_TABLE: usize = 48;

/// Entries of a window of short gaps for each passage wanted there from which on walking along is faster than
/// writing all codes down.
const WORTH_WALKING: usize = 16;

/// Finds the scores of passages of a segment; keeps its room for the next query.
pub(crate) struct Rescorer {
    sums: Vec<f64>,
    /// The codes of one term.
    codes: Vec<u8>,
    /// The codes of one term in one window; all [`ABSENT`] between uses.
    window: Box<[u8; WINDOW]>,
}

impl Rescorer {
    pub fn new() -> Self {
        Self { sums: Vec::new(), codes: Vec::new(), window: Box::new([ABSENT; WINDOW]) }
    }

    /// The scores of passages, given in order, each of which has a term.
    pub fn scores(&mut self, part: &Part<'_>, passages: &[u32]) -> impl Iterator<Item = f32> {
        let &Part { segment, ref terms, ref ratios, .. } = part;
        let Self { sums, codes, window } = self;
        sums.clear();
        sums.resize(passages.len(), 0.0);
        for term in terms {
            codes.clear();
            codes.resize(passages.len(), ABSENT);
            match term.impacts.postings {
                Postings::Bitmap(Bitmap { words, ranks, codes: of_term }) => {
                    let term = RankedBitmap { words, ranks, codes: of_term };
                    ImpactKernels::detect().codes(term, passages, codes);
                }
                Postings::Short(short) => short_codes(short, passages, codes, window),
                Postings::Long(long) => long_codes(long, passages, codes),
            }
            if passages.len() < WORTH_A_TABLE {
                let contribution = |code: u8| saturated(term.weight, ratios.by_code[usize::from(code)]);
                add(codes, sums, contribution);
            } else {
                let table = ratios.by_code.map(|ratio| saturated(term.weight, ratio));
                add(codes, sums, |code| table[usize::from(code)]);
            }
            if !term.impacts.escapes.is_empty() {
                let escaped =
                    codes.iter().zip(passages).zip(&mut *sums).filter(|((code, _), _)| **code == ESCAPE);
                for ((_, &passage), sum) in escaped {
                    let frequency = term.impacts.escapes.frequency(passage);
                    *sum += f64::from(saturated(
                        term.weight,
                        ratios.escaped(frequency, segment.length_codes()[passage as usize]),
                    ));
                }
            }
        }
        sums.iter().map(|&sum| sum as f32)
    }
}

/// [`ABSENT`] and [`ESCAPE`] have a ratio of 0, and so add nothing.
fn add(codes: &[u8], sums: &mut [f64], contribution: impl Fn(u8) -> f32) {
    for (sum, &code) in sums.iter_mut().zip(codes) {
        *sum += f64::from(contribution(code));
    }
}

fn long_codes(long: LongGaps<'_>, passages: &[u32], codes: &mut [u8]) {
    let (mut cursor, mut at) = (LongCursor::new(long), 0);
    let Some(&last) = passages.last() else { return };
    while let Some((passage, code)) = cursor.next_before(last.saturating_add(1)) {
        while passages[at] < passage {
            at += 1;
        }
        if passages[at] == passage {
            codes[at] = code;
        }
    }
}

fn short_codes(
    short: ShortGaps<'_>,
    mut passages: &[u32],
    mut codes: &mut [u8],
    by_passage: &mut [u8; WINDOW],
) {
    while let Some(&first) = passages.first() {
        let window = first as usize / WINDOW;
        let (entries, start) = (short.window(window), window * WINDOW);
        let inside = passages.partition_point(|&passage| (passage as usize) < start + WINDOW);
        let (of_window, later) = passages.split_at(inside);
        let (codes_of_window, codes_later) = codes.split_at_mut(inside);
        (passages, codes) = (later, codes_later);
        if entries.len() > WORTH_WALKING * inside {
            walk(entries, start as u32, of_window, codes_of_window);
            continue;
        }
        let mut at = 0;
        for &[gap, code] in entries {
            at += usize::from(gap);
            by_passage[at % WINDOW] = code;
        }
        for (code, &passage) in codes_of_window.iter_mut().zip(of_window) {
            *code = by_passage[passage as usize % WINDOW];
        }
        at = 0;
        for &[gap, _] in entries {
            at += usize::from(gap);
            by_passage[at % WINDOW] = ABSENT;
        }
    }
}

fn walk(mut entries: &[[u8; 2]], start: u32, passages: &[u32], codes: &mut [u8]) {
    let (mut reached, mut of_reached) = (start, ABSENT);
    for (code, &passage) in codes.iter_mut().zip(passages) {
        while let Some((four, rest)) = entries.split_first_chunk::<4>() {
            let further = reached + sum_of_gaps(four);
            if further > passage {
                break;
            }
            (entries, reached, of_reached) = (rest, further, four[3][1]);
        }
        while let Some((&[gap, next], rest)) = entries.split_first() {
            if reached + u32::from(gap) > passage {
                break;
            }
            (entries, reached, of_reached) = (rest, reached + u32::from(gap), next);
        }
        if reached == passage {
            *code = of_reached;
        }
    }
}

/// The gaps stand in every other byte; the product adds them up in its highest 16 bits.
fn sum_of_gaps(entries: &[[u8; 2]; 4]) -> u32 {
    let bytes = entries.as_flattened().try_into().expect("four times two bytes");
    let gaps = u64::from_le_bytes(bytes) & 0x00ff_00ff_00ff_00ff;
    (gaps.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
}
