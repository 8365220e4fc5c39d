//! One query over all segments.

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
use crate::search::bound_scale::Scale;
use crate::search::exhaustive;
use crate::search::query_terms::{Part, SegmentTerm, WeightedTerms, parts};
use crate::search::top_k::{Selection, key, rank};
use crate::search::upper_bounds::{Scratch, find_candidates};

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// The `k` best hits, best first, of the passages in a filter's sets, one for each segment.
pub(crate) fn search(
    index: &Snapshot,
    query: &Query,
    k: usize,
    parameters: Bm25,
    filter: Option<&[BitSet]>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let terms = looked_up(index, query, parameters, control)?;
    best(index, &terms, k, parameters, filter, control)
}

/// [`search`] of all passages if it is no more than so much [`work`].
pub(crate) fn search_within(
    most: u64,
    index: &Snapshot,
    query: &Query,
    k: usize,
    parameters: Bm25,
    control: &Control,
) -> Result<Option<Vec<Hit>>, Error> {
    let terms = looked_up(index, query, parameters, control)?;
    if work(index, &terms, k) > most {
        return Ok(None);
    }
    best(index, &terms, k, parameters, None, control).map(Some)
}

fn looked_up(
    index: &Snapshot,
    query: &Query,
    parameters: Bm25,
    control: &Control,
) -> Result<WeightedTerms, Error> {
    parameters.check()?;
    control.check()?;
    WeightedTerms::new(index, query)
}

/// About how many postings' work a query is, with what looking at passages and hits comes to.
fn work(index: &Snapshot, terms: &WeightedTerms, k: usize) -> u64 {
    let of_segment = |(at, segment): (usize, &Segment)| {
        let passages = segment.passages.len() as u64;
        let of_term = |term: &SegmentTerm<'_>| match term.impacts.postings {
            Postings::Bitmap(_) => passages / 8,
            _ => u64::from(term.impacts.passages),
        };
        passages / 16 + terms.of(segment, at).iter().map(of_term).sum::<u64>()
    };
    let hits = 8 * (k as u64).saturating_mul(terms.terms.len() as u64 + 4);
    index.segments.iter().enumerate().map(of_segment).sum::<u64>().saturating_add(hits)
}

/// Passages for each hit wanted from which on it is cheaper to bound all and score few than to score all.
const WORTH_BOUNDING: usize = 16;

fn best(
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
    let parts = parts(index, terms, parameters, filter);
    match Scale::new(&terms.terms) {
        Some(scale) if k.saturating_mul(WORTH_BOUNDING) <= passages => {
            bounded(&parts.collect::<Vec<_>>(), k, scale, control)
        }
        _ => exhaustive(parts, k, control),
    }
}

fn exhaustive<'a>(
    parts: impl Iterator<Item = Part<'a>>,
    k: usize,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let mut selection = Selection::new(k);
    for part in parts {
        exhaustive::score(&part, &mut selection, control)?;
    }
    Ok(selection.into_sorted())
}

fn bounded(parts: &[Part<'_>], k: usize, scale: Scale, control: &Control) -> Result<Vec<Hit>, Error> {
    let mut scratch = SCRATCH.take().unwrap_or_else(|| Box::new(Scratch::new(ImpactKernels::detect())));
    scratch.candidates.reset(k);
    for part in parts {
        find_candidates(part, scale, &mut scratch, control)?;
    }
    let Scratch { candidates, rescorer, .. } = &mut *scratch;
    let mut found = candidates.finish();
    let mut keys = Vec::with_capacity(found.len());
    for part in parts {
        let end = part.first + part.segment.passages.len() as u32;
        let (inside, after) = found.split_at(found.partition_point(|&(passage, _)| passage < end));
        found = after;
        let passages: Vec<u32> = inside.iter().map(|(passage, _)| passage - part.first).collect();
        let hits = passages.iter().zip(rescorer.scores(part, &passages));
        keys.extend(
            hits.map(|(&passage, score)| key(Hit { ord: part.segment.passages.ord(passage), score })),
        );
    }
    // Not reached after an error or a panic: what was added then goes with the sums.
    SCRATCH.set(Some(scratch));
    Ok(rank(keys, k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analyzer, Bm25Index, IndexWriter, WriterOptions};

    /// Passage `n` has word `w` if `w` divides it, so many times as it can be divided by it.
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
        let (searcher, control) = (Bm25Index::open(&path).expect("a sound index").searcher(), Control::new());
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
