//! Chooses a scorer for a query and runs it over all segments.

use std::cell::Cell;

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

/// Bounding all passages and scoring only the candidates is chosen if the index has at least this many passages per
/// hit. With fewer, so many passages remain candidates that scoring every posting once is cheaper. The bench `scorers`
/// measures both sides of the threshold: `cargo bench -p sparse --bench scorers`, the cases k = 3125 and k = 3126.
const MIN_PASSAGES_PER_HIT_FOR_BOUNDS: usize = 16;

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// The `k` best hits, best first. `filter` has the set of allowed passages of each segment.
pub(crate) fn search(
    index: &Snapshot,
    query: &Query,
    k: usize,
    parameters: Bm25,
    filter: Option<&[BitSet]>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let terms = look_up(index, query, parameters, control)?;
    find_best(index, &terms, k, parameters, filter, control)
}

/// [`search`] without a filter, if its [estimated cost](estimate_cost) is at most `max_cost`.
pub(crate) fn search_within(
    max_cost: u64,
    index: &Snapshot,
    query: &Query,
    k: usize,
    parameters: Bm25,
    control: &Control,
) -> Result<Option<Vec<Hit>>, Error> {
    let terms = look_up(index, query, parameters, control)?;
    if estimate_cost(index, &terms, k) > max_cost {
        return Ok(None);
    }
    find_best(index, &terms, k, parameters, None, control).map(Some)
}

fn look_up(
    index: &Snapshot,
    query: &Query,
    parameters: Bm25,
    control: &Control,
) -> Result<WeightedTerms, Error> {
    parameters.check()?;
    control.check()?;
    WeightedTerms::new(index, query)
}

/// Estimates the cost of a query; the unit is the cost of accumulating one posting of a rare term.
fn estimate_cost(index: &Snapshot, terms: &WeightedTerms, k: usize) -> u64 {
    let segment_cost = |(number, segment): (usize, &Segment)| {
        let passages = segment.passages.len() as u64;
        let term_cost = |term: &SegmentTerm<'_>| match term.postings.postings {
            // Bitmaps are read 64 passages at a time, whether or not the passages have the term.
            Postings::Bitmap(_) => passages / 8,
            _ => u64::from(term.postings.doc_freq),
        };
        passages / 16 + terms.in_segment(segment, number).iter().map(term_cost).sum::<u64>()
    };
    let hits_cost = 8 * (k as u64).saturating_mul(terms.terms.len() as u64 + 4);
    index.segments.iter().enumerate().map(segment_cost).sum::<u64>().saturating_add(hits_cost)
}

fn find_best(
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
            search_candidates(&queries.collect::<Vec<_>>(), k, scale, control)
        }
        _ => search_exhaustively(queries, k, control),
    }
}

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

fn search_candidates(
    queries: &[SegmentQuery<'_>],
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
    // After an error or a panic this is not reached, and the scratch buffers, which may not be clear, are dropped.
    SCRATCH.set(Some(scratch));
    Ok(rank(keys, k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analyzer, Bm25Index, IndexWriter, WriterOptions};

    /// Passage `n` has the word `w` if `w` divides `n`, with a frequency of 1 to 7.
    fn text(passage: u32) -> String {
        let words = (1..60).filter(|word| passage.is_multiple_of(*word));
        words.map(|word| format!("w{word} ").repeat(1 + (passage / word) as usize % 7)).collect()
    }

    #[test]
    fn every_instruction_set_finds_the_same() {
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
                let all = find(20_000);
                for k in [1, 10, 100, 1_000] {
                    SCRATCH.set(Some(Box::new(Scratch::new(kernels))));
                    assert!(find(k) == all[..k], "{}: the best {k} for {query}", kernels.name());
                }
            }
        }
    }
}
