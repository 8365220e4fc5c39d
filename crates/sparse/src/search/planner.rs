//! Chooses one of the two scorers for a query and runs it over all segments: the exhaustive scorer
//! ([`exhaustive`]), or the one that rescores candidates ([`find_candidates`]). [The parent module](super) describes
//! both.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use control::Control;
use kernels::impacts::ImpactKernels;
use ranking::{BitSet, Hit};

use crate::Error;
use crate::analysis::query::Query;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::postings::Postings;
use crate::scoring::bm25::Bm25;
use crate::search::bound_scale::BoundScale;
use crate::search::exhaustive;
use crate::search::query_terms::{SegmentQuery, SegmentTerm, WeightedTerms, segment_queries};
use crate::search::top_k::{Selection, key, rank};
use crate::search::upper_bounds::{Scratch, find_candidates};

/// Candidates are found by upper bounds if the index has at least this many passages per requested hit (`k`). With
/// fewer, too many passages remain candidates, and scoring every posting once is cheaper.
/// `cargo bench -p sparse --bench scorers`, with 50,000 passages, measures both sides of this limit: k = 3125 and
/// k = 3126.
const MIN_PASSAGES_PER_HIT_FOR_BOUNDS: usize = 16;

thread_local! {
    /// The buffers of the scorer that rescores candidates, reused by the next query on this thread.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Returns the `k` best hits, best first. `filter` has the set of allowed passages of each segment.
pub(crate) fn search(
    index: &Snapshot,
    query: &Query,
    k: usize,
    parameters: Bm25,
    filter: Option<&[BitSet]>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    control.check()?;
    let terms = look_up(index, query, parameters)?;
    find_best(index, &terms, k, parameters, filter, control)
}

/// Looks up the terms of a query.
pub(crate) fn look_up(index: &Snapshot, query: &Query, parameters: Bm25) -> Result<WeightedTerms, Error> {
    parameters.check()?;
    WeightedTerms::new(index, query)
}

/// Estimates how long a query takes. A filter makes little difference: postings are accumulated whether or not the
/// filter allows their passages, and the scan combines 64 passages at a time with the filter's bits.
pub(crate) fn estimated_time(index: &Snapshot, terms: &WeightedTerms, k: usize) -> Duration {
    time_of(estimate_cost(index, terms, k))
}

/// Converts a cost to a time. A unit of cost takes about a nanosecond: `cargo bench -p sparse --bench bm25 -- search`
/// measures searches.
fn time_of(cost: u64) -> Duration {
    Duration::from_nanos(cost)
}

/// Estimates the cost of a query; the unit is the cost of accumulating one posting of a rare term. The factors are
/// rough. The estimate assumes that about k passages are candidates. There are more candidates if many passages have
/// about the same score, for example if the query is one frequent word. A search for a caller that must not block then
/// stops, because it has a [budget](Control::with_budget).
fn estimate_cost(index: &Snapshot, terms: &WeightedTerms, k: usize) -> u64 {
    let segment_cost = |(segment_index, segment): (usize, &Arc<Segment>)| {
        let passages = segment.passages.len() as u64;
        let term_cost = |term: &SegmentTerm<'_>| match term.postings.postings {
            // Bitmaps are read 64 passages at a time, whether or not the passages have the term.
            Postings::Bitmap(_) => passages / 8,
            _ => u64::from(term.postings.doc_freq),
        };
        // The scan compares the bound of every passage with the threshold, 64 passages at a time.
        passages / 16 + terms.in_segment(segment, segment_index).iter().map(term_cost).sum::<u64>()
    };
    let hits_cost = rescoring_cost(k, terms.terms.len());
    index.segments.iter().enumerate().map(segment_cost).sum::<u64>().saturating_add(hits_cost)
}

/// Estimates the cost of rescoring: for each candidate, 8 units per term for its exact score, and 32 units for sorting.
fn rescoring_cost(candidates: usize, terms: usize) -> u64 {
    8 * (candidates as u64).saturating_mul(terms as u64 + 4)
}

/// Returns the same hits as [`search`], given terms that have already been looked up.
pub(crate) fn find_best(
    index: &Snapshot,
    terms: &WeightedTerms,
    k: usize,
    parameters: Bm25,
    filter: Option<&[BitSet]>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    if k == 0 {
        return Ok(Vec::new());
    }
    let passages: usize = index.segments.iter().map(|segment| segment.passages.len()).sum();
    let queries = segment_queries(index, terms, parameters, filter);
    match BoundScale::new(&terms.terms) {
        Some(scale) if k.saturating_mul(MIN_PASSAGES_PER_HIT_FOR_BOUNDS) <= passages => {
            search_candidates(&queries.collect::<Vec<_>>(), terms.terms.len(), k, scale, control)
        }
        _ => search_exhaustively(queries, k, control),
    }
}

/// Searches with the exhaustive scorer. `queries` are the parts of one query: one for each segment that may have hits.
fn search_exhaustively<'a>(
    queries: impl Iterator<Item = SegmentQuery<'a>>,
    k: usize,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let mut selection = Selection::new(k);
    for query in queries {
        exhaustive::score(&query, &mut selection, control)?;
    }
    Ok(selection.into_sorted())
}

/// Searches with the scorer that rescores candidates. `queries` are the parts of one query with `terms` terms: one for
/// each segment that may have hits.
fn search_candidates(
    queries: &[SegmentQuery<'_>],
    terms: usize,
    k: usize,
    scale: BoundScale,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let mut scratch = SCRATCH.take().unwrap_or_else(|| Box::new(Scratch::new(ImpactKernels::detect())));
    scratch.candidates.reset(k);
    for query in queries {
        find_candidates(query, scale, &mut scratch, control)?;
    }
    let Scratch { candidates, rescorer, .. } = &mut *scratch;
    let mut found = candidates.finish();
    control.spend(time_of(rescoring_cost(found.len().saturating_sub(k), terms)))?;
    let mut keys = Vec::with_capacity(found.len());
    for query in queries {
        let end = query.first_position + query.segment.passages.len() as u32;
        let (inside, after) = found.split_at(found.partition_point(|&(position, _)| position < end));
        found = after;
        let passages: Vec<u32> = inside.iter().map(|(position, _)| position - query.first_position).collect();
        let hits = passages.iter().zip(rescorer.scores(query, &passages));
        keys.extend(
            hits.map(|(&passage, score)| key(Hit { ord: query.segment.passages.ord(passage), score })),
        );
    }
    // Not reached after an error or a panic. The buffers are then dropped, because they may not be clear.
    SCRATCH.set(Some(scratch));
    Ok(rank(keys, k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analyzer, Bm25Index, IndexWriter, WriterOptions};

    /// Returns the text of a passage, given its number: the word `w{divisor}`, 1 to 7 times, for each divisor of the
    /// number below 60.
    fn text(passage: u32) -> String {
        let divisors = (1..60).filter(|divisor| passage.is_multiple_of(*divisor));
        divisors.map(|divisor| format!("w{divisor} ").repeat(1 + (passage / divisor) as usize % 7)).collect()
    }

    #[test]
    fn both_scorers_find_the_same_hits_with_every_instruction_set() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("index");
        let mut writer = IndexWriter::create(&path, Analyzer::WHITESPACE, WriterOptions::default())
            .expect("an empty folder");
        for passage in 0..20_000 {
            writer.add(&passage.to_string(), None, &text(passage)).expect("a new id");
        }
        writer.commit().expect("a commit");
        let (searcher, control) =
            (Bm25Index::open(&path).expect("an intact index").searcher(), Control::new());
        let queries = ["w1 w2 w3", "w2 w59", "w5 w7 w11 w13 w2", "w31 w1 w4 w6 w8 w9 w10 w12 w3 w2 w14 w16"];
        for kernels in ImpactKernels::available() {
            for query in queries {
                let find = |k| searcher.search(query, k, Bm25::default(), &control).expect("hits");
                // With k = 20,000, the exhaustive scorer ranks all passages.
                let all = find(20_000);
                for k in [1, 10, 100, 1_000] {
                    // The other scorer takes the kernels for its upper bounds from the thread's buffers.
                    SCRATCH.set(Some(Box::new(Scratch::new(kernels))));
                    assert!(find(k) == all[..k], "{}: the best {k} for {query}", kernels.name());
                }
            }
        }
    }
}
