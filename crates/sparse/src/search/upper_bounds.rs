//! Finds candidates for the top k by upper bounds on their scores.
//!
//! A posting's *impact* is the term's frequency in the passage and the quantized length of the passage; postings store
//! a one-byte *code* for it ([`postings`](crate::postings)). A term's weight and an impact code give an upper bound on
//! the posting's contribution to the score: an integer number of quantization steps, rounded up ([`BoundScale`]). A
//! passage's bound is the sum over the query's terms, accumulated in 16 bits: for rare terms posting by posting, for
//! frequent terms (stored as bitmaps) 64 passages at a time with SIMD ([`kernels::impacts`]). A passage is dropped only
//! if its bound is below the k-th best bound minus the largest possible error, which means that k others are certainly
//! better ([`Candidates`]). The remaining passages are rescored exactly, so pruning never changes the result.
//!
//! In the first block, the bounds of all terms are added up before the scan, to compute the start threshold. There is
//! none if a filter or deletions exclude passages of the first segment.
//!
//! In one block of passages:
//!
//! ```text
//! rare terms         posting by posting    ─┐
//! overflow entries   entry by entry        ─┴→ block_bounds [u16; BLOCK] ─┐
//! frequent terms     64 passages at a time ─→ units of 1 << shift steps ──┴→ scan: ≥ threshold? → Candidates
//! ```
//!
//! Overflow entries are the postings whose impact has no code of its own. The scan looks up the bounds of a frequent
//! (*dense*) term in a table. To fit in a SIMD register, the table has one 8-bit bound per *class* of 4 or 16
//! neighboring impact codes, counted in units of `1 << shift` quantization steps.

use std::time::Duration;

use control::Control;
use kernels::impacts::{
    Bounds, DenseBounds, DenseTerm, FoundPassages, GROUP, ImpactKernels, ScanOptions, Sums,
};

use crate::Error;
use crate::postings::{BLOCK, Bitmap, Gaps8, Gaps16Cursor, OVERFLOW, Postings};
use crate::scoring::bm25::saturated;
use crate::scoring::contribution_table::ContributionTable;
use crate::search::bound_scale::BoundScale;
use crate::search::candidates::{Candidates, MAX_FOUND_PER_SCAN};
use crate::search::query_terms::{SegmentQuery, SegmentTerm};
use crate::search::rescore::Rescorer;

/// Minimum number of postings for which building a term's table of bounds pays off; the bounds of rarer terms are
/// computed posting by posting. `cargo bench -p sparse --bench scorers -- few` has terms on both sides of this number.
const MIN_POSTINGS_FOR_TABLE: u32 = 64;

/// Rough estimate of the time that it takes to add a found passage to the candidates.
const TIME_PER_FOUND: Duration = Duration::from_nanos(4);

/// Per-thread buffers, reused across queries.
pub(crate) struct Scratch {
    kernels: &'static ImpactKernels,
    pub candidates: Candidates,
    pub rescorer: Rescorer,
    /// The accumulated bounds of one block; all zero between queries.
    block_bounds: Box<Sums<BLOCK>>,
    /// For each query term, its bounds by impact code. The table of a term with few postings is not used. There may be
    /// more tables than terms.
    tables: Vec<Bounds>,
    /// For each query term with a bitmap, its bounds by class of codes.
    dense_tables: Vec<DenseBounds>,
    /// The passages that one scan found.
    found: Box<FoundPassages<MAX_FOUND_PER_SCAN>>,
}

impl Scratch {
    pub fn new(kernels: &'static ImpactKernels) -> Self {
        Self {
            kernels,
            candidates: Candidates::new(),
            rescorer: Rescorer::new(),
            block_bounds: Box::new(Sums([0; BLOCK])),
            tables: Vec::new(),
            dense_tables: Vec::new(),
            found: Box::new(FoundPassages {
                sums: [0; MAX_FOUND_PER_SCAN],
                positions: [0; MAX_FOUND_PER_SCAN],
            }),
        }
    }
}

/// How the bounds of a term without a bitmap are accumulated. Its postings are stored as 16-bit or 8-bit gaps.
enum Accumulator<'a> {
    /// 16-bit gaps with fewer than [`MIN_POSTINGS_FOR_TABLE`] postings, and the term's weight instead of a table.
    Few(Gaps16Cursor<'a>, f32),
    /// 16-bit gaps and the term's table of bounds.
    Gaps16(Gaps16Cursor<'a>, &'a Bounds),
    /// 8-bit gaps and the term's table of bounds.
    Gaps8(Gaps8<'a>, &'a Bounds),
}

/// Adds to `scratch.candidates` the passages of one segment that may be among the k best, by their positions in the
/// index.
pub(crate) fn find_candidates(
    query: &SegmentQuery<'_>,
    scale: BoundScale,
    scratch: &mut Scratch,
    control: &Control,
) -> Result<(), Error> {
    let &SegmentQuery { segment, first_position, ref terms, ref contributions, ref allowed } = query;
    let bitmaps = terms.iter().filter_map(|term| match term.postings.postings {
        Postings::Bitmap(bitmap) => Some((bitmap, term.weight)),
        _ => None,
    });
    let shift = scale.shift(bitmaps.clone().map(|(_, weight)| weight));
    let max_error = make_tables(query, scale, shift, scratch);
    let Scratch { kernels, candidates, block_bounds, tables, dense_tables, found, .. } = scratch;
    candidates.allow_error(max_error);
    let accumulators = terms.iter().zip(&*tables);
    let mut accumulators: Vec<Accumulator<'_>> =
        accumulators.filter_map(|(term, table)| Accumulator::new(term, table)).collect();
    let mut dense: Vec<DenseTerm<'_>> = Vec::with_capacity(dense_tables.len());
    let postings: usize = terms.iter().map(|term| term.postings.doc_freq as usize).sum();
    let passages = segment.passages.len();
    for block in 0..passages.div_ceil(BLOCK) {
        control.check()?;
        let start = block * BLOCK;
        for accumulator in &mut accumulators {
            accumulator.accumulate(block, contributions, scale, &mut block_bounds.0);
        }
        for term in terms.iter().filter(|term| !term.postings.overflow.is_empty()) {
            let entries = term.postings.overflow.within(start as u32, (start + BLOCK) as u32);
            for (passage, frequency) in entries {
                let fieldnorm = segment.impacts.fieldnorms()[passage as usize];
                let frequency = contributions.normalized_frequency(frequency, fieldnorm);
                block_bounds.0[passage as usize % BLOCK] += scale.bound(saturated(term.weight, frequency));
            }
        }
        dense.clear();
        dense.extend(
            bitmaps.clone().zip(&*dense_tables).map(|((bitmap, _), table)| dense_term(bitmap, table, start)),
        );
        let mut from = start;
        let end = passages.min(start + BLOCK).next_multiple_of(GROUP);
        // Passages that must not be hits could rule out hits, so there is no start threshold if some are not allowed.
        if allowed.is_none() && candidates.needs_start_threshold(postings) {
            let bounds = &mut block_bounds.0[..end - start];
            if !dense.is_empty() {
                kernels.add(bounds, &dense, shift);
                dense.clear();
            }
            candidates.set_start_threshold(bounds, kernels);
        }
        while from < end {
            let scan = ScanOptions {
                threshold: candidates.threshold(),
                shift,
                allowed: allowed.as_ref().map(|allowed| &allowed[from / GROUP..]),
            };
            let bounds = &mut block_bounds.0[from - start..end - start];
            let scanned = kernels.scan(bounds, &mut dense, scan, found, candidates.scan_limit());
            candidates.add(first_position + from as u32, &found.sums[..scanned.found], &found.positions);
            control.spend(TIME_PER_FOUND.saturating_mul(scanned.found as u32))?;
            // The scan stops early when it has found enough.
            from += scanned.sums;
        }
    }
    Ok(())
}

/// Fills the tables of all terms except those with few postings. Returns the maximum number of quantization steps by
/// which a passage's bound exceeds its score.
fn make_tables(query: &SegmentQuery<'_>, scale: BoundScale, shift: u32, scratch: &mut Scratch) -> u16 {
    let Scratch { kernels, tables, dense_tables, .. } = scratch;
    if tables.len() < query.terms.len() {
        tables.resize(query.terms.len(), Bounds([0; 256]));
    }
    dense_tables.clear();
    // One step per term for rounding up, one for the f32 rounding errors of all bounds, and one for rounding the score
    // to f32.
    let mut max_error = query.terms.len() as u32 + 2;
    for (term, table) in query.terms.iter().zip(tables) {
        if has_few_postings(term) {
            continue;
        }
        kernels.bounds(term.weight * scale.steps, &query.contributions.saturations, table);
        // Overflow entries have different impacts; their bounds are added entry by entry.
        table.0[usize::from(OVERFLOW)] = 0;
        if let Postings::Bitmap(_) = term.postings.postings {
            let impact_count = query.segment.impacts.dictionary.impacts.len();
            // The impacts have the codes 1 to `impact_count`. No posting in a bitmap has the code 0.
            let (dense_table, error) = kernels.class_bounds(table, impact_count, shift);
            dense_tables.push(dense_table);
            max_error += u32::from(error);
        }
    }
    u16::try_from(max_error).unwrap_or(u16::MAX)
}

fn has_few_postings(term: &SegmentTerm<'_>) -> bool {
    matches!(term.postings.postings, Postings::Gaps16(_)) && term.postings.doc_freq < MIN_POSTINGS_FOR_TABLE
}

/// Returns the bitmap words and the codes of a term, beginning with those of passage `start`.
fn dense_term<'a>(bitmap: Bitmap<'a>, bounds: &'a DenseBounds, start: usize) -> DenseTerm<'a> {
    let (words, codes) = (&bitmap.words[start / GROUP..], &bitmap.codes[bitmap.rank(start)..]);
    DenseTerm { words, codes, bounds }
}

impl<'a> Accumulator<'a> {
    /// Returns `None` for a term with a bitmap.
    fn new(term: &SegmentTerm<'a>, table: &'a Bounds) -> Option<Self> {
        Some(match term.postings.postings {
            Postings::Gaps16(gaps) if has_few_postings(term) => {
                Self::Few(Gaps16Cursor::new(gaps), term.weight)
            }
            Postings::Gaps16(gaps) => Self::Gaps16(Gaps16Cursor::new(gaps), table),
            Postings::Gaps8(gaps) => Self::Gaps8(gaps, table),
            Postings::Bitmap(_) => return None,
        })
    }

    /// Adds the term's bounds to those of a block's passages.
    fn accumulate(
        &mut self,
        block: usize,
        contributions: &ContributionTable,
        scale: BoundScale,
        block_bounds: &mut [u16; BLOCK],
    ) {
        let end = ((block + 1) * BLOCK) as u32;
        match self {
            Self::Few(cursor, weight) => cursor.for_each_before(end, |passage, code| {
                if code != OVERFLOW {
                    let frequency = contributions.normalized_frequencies[usize::from(code)];
                    block_bounds[passage as usize % BLOCK] += scale.bound(saturated(*weight, frequency));
                }
            }),
            Self::Gaps16(cursor, table) => cursor.for_each_before(end, |passage, code| {
                block_bounds[passage as usize % BLOCK] += table.0[usize::from(code)];
            }),
            Self::Gaps8(gaps, table) => accumulate_gaps8(gaps.block(block), &table.0, block_bounds),
        }
    }
}

/// Adds the bounds of a block's entries. It is not inlined, so that all its variables stay in registers.
#[inline(never)]
fn accumulate_gaps8(entries: &[[u8; 2]], table: &[u16; 256], block_bounds: &mut [u16; BLOCK]) {
    let mut passage = 0;
    for &[gap, code] in entries {
        passage += usize::from(gap);
        let bound = &mut block_bounds[passage % BLOCK];
        *bound = bound.wrapping_add(table[usize::from(code)]);
    }
}
