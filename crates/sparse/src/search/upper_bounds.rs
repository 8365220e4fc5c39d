//! Finding candidates by upper bounds of scores in 16 bits.
//!
//! Bounds are sums of integers: for each term and impact the contribution in units, see [`Scale`], rounded up. Rare
//! terms are added a posting at a time; terms that stand in many passages 64 passages at a time. A passage that is
//! not looked at again is one that k others beat for certain, see [`Candidates`].

use control::Control;
use kernels::impacts::{
    Bounds, DenseBounds, DenseTerm, FoundPassages, GROUP, ImpactKernels, MIN_CODES_PER_CLASS, ScanOptions,
    Sums,
};

use crate::Error;
use crate::postings::gap_cursor::LongCursor;
use crate::postings::{Bitmap, ESCAPE, Postings, ShortGaps, WINDOW};
use crate::scoring::bm25::saturated;
use crate::scoring::contribution_table::ContributionTable;
use crate::search::bound_scale::Scale;
use crate::search::candidates::{Candidates, STEP};
use crate::search::query_terms::{Part, SegmentTerm};
use crate::search::rescore::Rescorer;

/// Postings from which a table of all codes is worth its making.
const WORTH_A_TABLE: u32 = 64;

/// What a query needs room for, kept for the next one of the same thread.
pub(crate) struct Scratch {
    kernels: &'static ImpactKernels,
    pub candidates: Candidates,
    pub rescorer: Rescorer,
    /// Of a window; zeros between uses.
    sums: Box<Sums<WINDOW>>,
    bounds: Vec<Bounds>,
    dense_bounds: Vec<DenseBounds>,
    /// Of a scan.
    found: Box<FoundPassages<STEP>>,
}

impl Scratch {
    pub fn new(kernels: &'static ImpactKernels) -> Self {
        Self {
            kernels,
            candidates: Candidates::new(),
            rescorer: Rescorer::new(),
            sums: Box::new(Sums([0; WINDOW])),
            bounds: Vec::new(),
            dense_bounds: Vec::new(),
            found: Box::new(FoundPassages { sums: [0; STEP], positions: [0; STEP] }),
        }
    }
}

/// What is added a posting at a time.
enum Scatter<'a> {
    Few(LongCursor<'a>, f32),
    Long(LongCursor<'a>, &'a Bounds),
    Short(ShortGaps<'a>, &'a Bounds),
}

/// Adds the passages of a segment that may be among the best, by their position in the index.
pub(crate) fn find_candidates(
    part: &Part<'_>,
    scale: Scale,
    scratch: &mut Scratch,
    control: &Control,
) -> Result<(), Error> {
    let &Part { segment, first, ref terms, ref ratios, ref allowed } = part;
    let bitmaps = terms.iter().filter_map(|term| match term.impacts.postings {
        Postings::Bitmap(bitmap) => Some((bitmap, term.weight)),
        _ => None,
    });
    let shift = scale.shift(bitmaps.clone().map(|(_, weight)| weight));
    let error = make_tables(part, scale, shift, scratch);
    let Scratch { kernels, candidates, sums, bounds, dense_bounds, found, .. } = scratch;
    candidates.allow(error);
    let scatters = terms.iter().zip(&*bounds);
    let mut scatters: Vec<Scatter<'_>> =
        scatters.filter_map(|(term, bounds)| Scatter::new(term, bounds)).collect();
    let mut dense: Vec<DenseTerm<'_>> = Vec::with_capacity(dense_bounds.len());
    let passages = segment.passages.len();
    for window in 0..passages.div_ceil(WINDOW) {
        control.check()?;
        let start = window * WINDOW;
        for scatter in &mut scatters {
            scatter.add(window, ratios, scale, &mut sums.0);
        }
        for term in terms.iter().filter(|term| !term.impacts.escapes.is_empty()) {
            for (passage, frequency) in term.impacts.escapes.within(start as u32, (start + WINDOW) as u32) {
                let contribution = saturated(
                    term.weight,
                    ratios.escaped(frequency, segment.length_codes()[passage as usize]),
                );
                sums.0[passage as usize % WINDOW] += scale.bound(contribution);
            }
        }
        dense.clear();
        dense.extend(
            bitmaps.clone().zip(&*dense_bounds).map(|((bitmap, _), bounds)| from(bitmap, bounds, start)),
        );
        let mut from = start;
        let end = passages.min(start + WINDOW).next_multiple_of(GROUP);
        while from < end {
            let scan = ScanOptions {
                bound: candidates.bound(),
                shift,
                allowed: allowed.as_ref().map(|allowed| &allowed[from / GROUP..]),
            };
            let sums = &mut sums.0[from - start..end - start];
            let scanned = kernels.scan(sums, &mut dense, scan, found, candidates.step());
            candidates.take(first + from as u32, &found.sums[..scanned.found], &found.positions);
            from += scanned.sums;
        }
    }
    Ok(())
}

/// Makes the tables of all terms but those of so few postings that none is worth its making. By how many units a
/// bound may be above the score.
fn make_tables(part: &Part<'_>, scale: Scale, shift: u32, scratch: &mut Scratch) -> u16 {
    let Scratch { kernels, bounds, dense_bounds, .. } = scratch;
    bounds.resize(part.terms.len(), Bounds([0; 256]));
    dense_bounds.clear();
    // A unit for each rounding, one for those of f32 on the way, one for the score's own.
    let mut error = part.terms.len() as u32 + 2;
    for (term, bounds) in part.terms.iter().zip(bounds) {
        if has_few(term) {
            continue;
        }
        kernels.bounds(term.weight * scale.units, &part.ratios.gains, bounds);
        bounds.0[usize::from(ESCAPE)] = 0;
        if let Postings::Bitmap(_) = term.impacts.postings {
            let impacts = part.segment.impacts.dictionary.impacts.len();
            let (dense, above) = dense(bounds, impacts, kernels.codes_per_class(), shift);
            dense_bounds.push(dense);
            error += above;
        }
    }
    u16::try_from(error).unwrap_or(u16::MAX)
}

fn has_few(term: &SegmentTerm<'_>) -> bool {
    matches!(term.impacts.postings, Postings::Long(_)) && term.impacts.passages < WORTH_A_TABLE
}

/// Bounds by class, and by how many units they may be above the contribution.
fn dense(bounds: &Bounds, impacts: usize, class: usize, shift: u32) -> (DenseBounds, u32) {
    let mut steps = [0; 256 / MIN_CODES_PER_CLASS];
    let mut error = 0;
    // Code 0 is none, and classes without impacts are not met.
    let classes = bounds.0[..=impacts].chunks(class).enumerate();
    for ((class, bounds), steps) in classes.zip(&mut steps) {
        let bounds = if class == 0 { &bounds[1..] } else { bounds };
        let (mut least, mut most) = (u16::MAX, 0);
        for &bound in bounds {
            (least, most) = (least.min(bound), most.max(bound));
        }
        let up = most.div_ceil(1 << shift);
        *steps = up as u8;
        error = error.max((u32::from(up) << shift).saturating_sub(u32::from(least)));
    }
    (DenseBounds { steps }, error)
}

/// A term from the first passage of a window on.
fn from<'a>(bitmap: Bitmap<'a>, bounds: &'a DenseBounds, start: usize) -> DenseTerm<'a> {
    let (words, codes) = (&bitmap.words[start / GROUP..], &bitmap.codes[bitmap.rank(start)..]);
    DenseTerm { words, codes, bounds }
}

impl<'a> Scatter<'a> {
    /// None for a term that is not added so.
    fn new(term: &SegmentTerm<'a>, bounds: &'a Bounds) -> Option<Self> {
        Some(match term.impacts.postings {
            Postings::Long(list) if has_few(term) => Self::Few(LongCursor::new(list), term.weight),
            Postings::Long(list) => Self::Long(LongCursor::new(list), bounds),
            Postings::Short(list) => Self::Short(list, bounds),
            Postings::Bitmap(_) => return None,
        })
    }

    /// Adds what the passages of a window get from the term.
    fn add(&mut self, window: usize, ratios: &ContributionTable, scale: Scale, sums: &mut [u16; WINDOW]) {
        let end = ((window + 1) * WINDOW) as u32;
        match self {
            Self::Few(cursor, weight) => {
                while let Some((passage, code)) = cursor.next_before(end) {
                    if code != ESCAPE {
                        let contribution = saturated(*weight, ratios.by_code[usize::from(code)]);
                        sums[passage as usize % WINDOW] += scale.bound(contribution);
                    }
                }
            }
            Self::Long(cursor, bounds) => {
                while let Some((passage, code)) = cursor.next_before(end) {
                    sums[passage as usize % WINDOW] += bounds.0[usize::from(code)];
                }
            }
            Self::Short(short, bounds) => add_short(short.window(window), &bounds.0, sums),
        }
    }
}

/// Adds the entries of a window. On its own, so that all it needs stays in registers.
#[inline(never)]
fn add_short(entries: &[[u8; 2]], bounds: &[u16; 256], sums: &mut [u16; WINDOW]) {
    let mut at = 0;
    for &[gap, code] in entries {
        at += usize::from(gap);
        let sum = &mut sums[at % WINDOW];
        *sum = sum.wrapping_add(bounds[usize::from(code)]);
    }
}
