//! Chooses one of the two scorers for a query and runs it over all segments: the exhaustive scorer
//! ([`exhaustive`]), or the one that rescores candidates ([`find_candidates`]). [The parent module](super) describes
//! both. Which one is faster, and how long a search takes, depends on the instruction set: see [`SearchCosts`].

mod costs;
mod measured;

use std::cell::Cell;
use std::time::Duration;

use control::Control;
pub use costs::{Scorer, SearchCosts, SearchWork};
use kernels::impacts::{GROUP, ImpactKernels};
use ranking::{BitSet, Hit};

use crate::Error;
use crate::analysis::query::Query;
use crate::index::snapshot::Snapshot;
use crate::postings::Postings;
use crate::scoring::bm25::Bm25;
use crate::search::bound_scale::BoundScale;
use crate::search::exhaustive;
use crate::search::query_terms::{SegmentQuery, WeightedTerms, segment_queries};
use crate::search::top_k::{Selection, key, rank};
use crate::search::upper_bounds::{Scratch, find_candidates};

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

/// Estimates how long a search takes with the scorer that is chosen for it. A filter makes little difference: postings
/// are accumulated whether or not the filter allows their passages, and the scan combines 64 passages at a time with
/// the filter's bits.
pub(crate) fn estimated_time(index: &Snapshot, terms: &WeightedTerms, k: usize) -> Duration {
    SearchCosts::detect().time(choose_scorer(index, terms, k), &work(index, terms, k))
}

/// Chooses the faster scorer. Only the exhaustive one can be used if the weights of the terms are too different for
/// bounds.
fn choose_scorer(index: &Snapshot, terms: &WeightedTerms, k: usize) -> Scorer {
    if BoundScale::new(&terms.terms).is_none() {
        return Scorer::Exhaustive;
    }
    SearchCosts::detect().scorer(num_passages(index), k)
}

fn num_passages(index: &Snapshot) -> usize {
    index.segments.iter().map(|segment| segment.passages.len()).sum()
}

/// Estimates the work of a search. The estimate assumes that about k passages are candidates. There are more candidates
/// if many passages have about the same score, for example if the query is one frequent word. A search for a caller
/// that must not block then stops, because it has a [budget](Control::with_budget).
pub(crate) fn work(index: &Snapshot, terms: &WeightedTerms, k: usize) -> SearchWork {
    let mut work = SearchWork {
        candidates: k.min(num_passages(index)) as u64,
        terms: terms.terms.len() as u64,
        ..SearchWork::default()
    };
    for (segment_index, segment) in index.segments.iter().enumerate() {
        let groups = segment.passages.len().div_ceil(GROUP) as u64;
        work.scanned_groups += groups;
        for term in terms.in_segment(segment, segment_index) {
            let postings = u64::from(term.postings.doc_freq);
            if let Postings::Bitmap(_) = term.postings.postings {
                work.bitmap_groups += groups;
                work.bitmap_postings += postings;
            } else {
                work.postings += postings;
            }
        }
    }
    work
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
    let scorer = choose_scorer(index, terms, k);
    find_best_with(scorer, index, terms, k, parameters, filter, control)
}

/// Does the same as [`find_best`] with the given scorer. Always uses the exhaustive scorer if the weights of the terms
/// are too different for bounds.
pub(crate) fn find_best_with(
    scorer: Scorer,
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
    let queries = segment_queries(index, terms, parameters, filter);
    match (scorer, BoundScale::new(&terms.terms)) {
        (Scorer::UpperBounds, Some(scale)) => {
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
    let mut scratch = collect_candidates(queries, k, scale, control)?;
    let Scratch { candidates, rescorer, .. } = &mut *scratch;
    let mut found = candidates.finish();
    let unexpected = SearchWork {
        candidates: found.len().saturating_sub(k) as u64,
        terms: terms as u64,
        ..SearchWork::default()
    };
    control.spend(SearchCosts::detect().time_of_parts(&unexpected))?;
    let mut keys = Vec::with_capacity(found.len());
    for query in queries {
        let end = query.first_position + query.segment.passages.len() as u32;
        let (inside, after) = found.split_at(found.partition_point(|candidate| candidate.position() < end));
        found = after;
        let passages: Vec<u32> =
            inside.iter().map(|candidate| candidate.position() - query.first_position).collect();
        let hits = passages.iter().zip(rescorer.scores(query, &passages));
        keys.extend(
            hits.map(|(&passage, score)| key(Hit { ord: query.segment.passages.ord(passage), score })),
        );
    }
    // Not reached after an error or a panic. The buffers are then dropped, because they may not be clear.
    SCRATCH.set(Some(scratch));
    Ok(rank(keys, k))
}

/// Finds the candidates of a query with the scorer that rescores them. Returns the buffers with the candidates.
fn collect_candidates(
    queries: &[SegmentQuery<'_>],
    k: usize,
    scale: BoundScale,
    control: &Control,
) -> Result<Box<Scratch>, Error> {
    let mut scratch = SCRATCH.take().unwrap_or_else(|| Box::new(Scratch::new(ImpactKernels::detect())));
    scratch.candidates.reset(k);
    for query in queries {
        find_candidates(query, scale, &mut scratch, control)?;
    }
    Ok(scratch)
}

/// Returns the number of passages that a search with upper bounds scores exactly. For the calibration.
pub(crate) fn count_candidates(
    index: &Snapshot,
    terms: &WeightedTerms,
    k: usize,
    parameters: Bm25,
) -> Result<u64, Error> {
    let queries: Vec<_> = segment_queries(index, terms, parameters, None).collect();
    let Some(scale) = BoundScale::new(&terms.terms) else { return Ok(0) };
    let mut scratch = collect_candidates(&queries, k, scale, &Control::new())?;
    Ok(scratch.candidates.finish().len() as u64)
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
                let find = |scorer, k| {
                    searcher.search_with_scorer(scorer, query, k, Bm25::default(), &control).expect("hits")
                };
                let all = find(Scorer::Exhaustive, 20_000);
                for k in [1, 10, 100, 1_000] {
                    // The kernels for the upper bounds are those of the thread's buffers.
                    SCRATCH.set(Some(Box::new(Scratch::new(kernels))));
                    assert!(
                        find(Scorer::UpperBounds, k) == all[..k],
                        "{}: the best {k} for {query}",
                        kernels.name()
                    );
                }
            }
        }
    }
}
