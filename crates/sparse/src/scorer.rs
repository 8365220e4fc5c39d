//! One query over all segments.

use std::cell::Cell;

use control::Control;
use kernels::impacts::ImpactKernels;
use ranking::Hit;

use crate::Error;
use crate::bm25::Bm25;
use crate::bounded::{Part, Scratch, find_candidates};
use crate::exact;
use crate::impacts::Postings;
use crate::passage_set::PassageSet;
use crate::query::Query;
use crate::scale::Scale;
use crate::segments::{Segment, Segments};
use crate::selection::{Selection, key, rank};
use crate::terms::{SegmentTerm, WeightedTerms};

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// The `k` best hits, best first, of the passages in a filter's sets, one for each segment.
pub(crate) fn search(
    index: &Segments,
    query: &Query,
    k: usize,
    parameters: Bm25,
    filter: Option<&[PassageSet]>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    parameters.check()?;
    control.check()?;
    if k == 0 {
        return Ok(Vec::new());
    }
    let terms = WeightedTerms::new(index, query)?;
    match Scale::new(&terms.terms) {
        Some(scale) if worth_bounding(index, k) => {
            bounded(index, &terms, k, parameters, filter, scale, control)
        }
        _ => exhaustive(index, &terms, k, parameters, filter, control),
    }
}

/// Passages for each hit wanted from which on it is cheaper to bound all and score few than to score all.
const WORTH_BOUNDING: usize = 16;

fn worth_bounding(index: &Segments, k: usize) -> bool {
    let passages: usize = index.segments.iter().map(|segment| segment.passages.len()).sum();
    k.saturating_mul(WORTH_BOUNDING) <= passages
}

/// About how many postings' work a query is, with what looking at passages and hits comes to.
pub(crate) fn work(index: &Segments, query: &Query, k: usize) -> Result<u64, Error> {
    let terms = WeightedTerms::new(index, query)?;
    let of_segment = |(at, segment): (usize, &Segment)| {
        let passages = segment.passages.len() as u64;
        let of_term = |term: &SegmentTerm<'_>| match term.impacts.postings {
            Postings::Bitmap(_) => passages / 8,
            _ => u64::from(term.impacts.passages),
        };
        passages / 16 + terms.of(segment, at).iter().map(of_term).sum::<u64>()
    };
    let hits = 8 * (k as u64).saturating_mul(terms.terms.len() as u64 + 4);
    Ok(index.segments.iter().enumerate().map(of_segment).sum::<u64>().saturating_add(hits))
}

fn exhaustive(
    index: &Segments,
    terms: &WeightedTerms,
    k: usize,
    parameters: Bm25,
    filter: Option<&[PassageSet]>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let mut selection = Selection::new(k);
    for (at, segment) in index.segments.iter().enumerate() {
        let filter = filter.map(|sets| &sets[at]);
        if filter.is_some_and(PassageSet::is_empty) {
            continue;
        }
        let (terms, ratios, allowed) =
            (terms.of(segment, at), index.ratios(at, parameters), segment.allowed(filter));
        exact::score(segment, &terms, &ratios, allowed.as_deref(), &mut selection, control)?;
    }
    Ok(selection.into_sorted())
}

fn bounded(
    index: &Segments,
    terms: &WeightedTerms,
    k: usize,
    parameters: Bm25,
    filter: Option<&[PassageSet]>,
    scale: Scale,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let mut scratch = SCRATCH.take().unwrap_or_else(|| Box::new(Scratch::new(ImpactKernels::detect())));
    scratch.candidates.reset(k);
    let mut opened = Vec::with_capacity(index.segments.len());
    let mut first = 0;
    for (at, segment) in index.segments.iter().enumerate() {
        let filter = filter.map(|sets| &sets[at]);
        if filter.is_none_or(|set| !set.is_empty()) {
            let (terms, ratios, allowed) =
                (terms.of(segment, at), index.ratios(at, parameters), segment.allowed(filter));
            let part = Part { segment, first, terms: &terms, ratios: &ratios, allowed: allowed.as_deref() };
            find_candidates(&part, scale, &mut scratch, control)?;
            opened.push((segment, first, ratios, terms));
        }
        first += segment.passages.len() as u32;
    }
    let Scratch { candidates, rescorer, .. } = &mut *scratch;
    let mut found = candidates.finish();
    let mut keys = Vec::with_capacity(found.len());
    for (segment, first, ratios, terms) in opened {
        let end = first + segment.passages.len() as u32;
        let (inside, after) = found.split_at(found.partition_point(|&(passage, _)| passage < end));
        found = after;
        let passages: Vec<u32> = inside.iter().map(|(passage, _)| passage - first).collect();
        let scores = rescorer.scores(segment, &terms, &ratios, &passages);
        let hits = passages.iter().zip(scores);
        keys.extend(hits.map(|(&passage, score)| key(Hit { ord: segment.passages.ord(passage), score })));
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
