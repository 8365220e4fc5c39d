//! The terms of a query, looked up in the segments.

use std::borrow::Cow;

use ranking::BitSet;
use tantivy::Term;

use crate::Error;
use crate::analysis::query::Query;
use crate::index::integrity::engine_error;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::term_cache::ABSENT;
use crate::postings::TermImpacts;
use crate::scoring::bm25::{Bm25, idf};
use crate::scoring::contribution_table::ContributionTable;

/// A term that some passage has, with its weight in a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeightedTerm {
    pub weight: f32,
    /// Where its numbers begin.
    numbers: usize,
}

/// The terms of a query that some passage has, in the query's order.
pub(crate) struct WeightedTerms {
    pub terms: Vec<WeightedTerm>,
    /// For each term its number in each segment.
    numbers: Vec<u32>,
}

/// A query term in one segment.
pub(crate) struct SegmentTerm<'a> {
    pub weight: f32,
    pub impacts: TermImpacts<'a>,
}

impl WeightedTerms {
    pub fn new(index: &Snapshot, query: &Query) -> Result<Self, Error> {
        let mut terms = Vec::with_capacity(query.terms.len());
        let mut numbers = Vec::with_capacity(query.terms.len() * index.segments.len());
        for (text, boost) in &query.terms {
            let start = numbers.len();
            let passages = passages_with(index, text, &mut numbers)?;
            if passages > 0 {
                terms.push(WeightedTerm { weight: weight(index, text, *boost, passages)?, numbers: start });
            } else {
                numbers.truncate(start);
            }
        }
        Ok(Self { terms, numbers })
    }

    /// The terms that stand in the segment at this place.
    pub fn of<'a>(&self, segment: &'a Segment, at: usize) -> Vec<SegmentTerm<'a>> {
        let of_segment = self.terms.iter().filter_map(|term| {
            let number = self.numbers[term.numbers + at];
            (number != ABSENT)
                .then(|| SegmentTerm { weight: term.weight, impacts: segment.impacts.term(number) })
        });
        of_segment.collect()
    }
}

/// A segment with what a query needs there.
pub(crate) struct Part<'a> {
    pub segment: &'a Segment,
    /// Position of its first passage in the index.
    pub first: u32,
    pub terms: Vec<SegmentTerm<'a>>,
    pub ratios: Cow<'a, ContributionTable>,
    /// A bit for each passage that may be a hit; all may if there are none.
    pub allowed: Option<Cow<'a, [u64]>>,
}

/// The segments in which a query may have hits, given what a filter lets through in each.
pub(crate) fn parts<'a>(
    index: &'a Snapshot,
    terms: &WeightedTerms,
    parameters: Bm25,
    filter: Option<&'a [BitSet]>,
) -> impl Iterator<Item = Part<'a>> {
    let mut first = 0;
    index.segments.iter().enumerate().filter_map(move |(at, segment)| {
        let filter = filter.map(|sets| &sets[at]);
        let part_first = first;
        first += segment.passages.len() as u32;
        filter.is_none_or(|set| !set.is_empty()).then(|| Part {
            segment,
            first: part_first,
            terms: terms.of(segment, at),
            ratios: index.ratios(at, parameters),
            allowed: segment.allowed(filter.map(BitSet::words)),
        })
    })
}

/// Passages of all segments that have this term. Appends the term's number in each segment.
pub(crate) fn passages_with(index: &Snapshot, text: &str, numbers: &mut Vec<u32>) -> Result<u64, Error> {
    let start = numbers.len();
    index.term_cache.numbers(text, numbers, |numbers| {
        let term = Term::from_field_text(index.fields.contents, text);
        for segment in &index.segments {
            let number = segment.term_number(&term);
            let number = number.map_err(|error| engine_error("read", &index.path, error.into()))?;
            numbers.push(number.unwrap_or(ABSENT));
        }
        Ok::<(), Error>(())
    })?;
    let of_segment = |(segment, &number): (&Segment, &u32)| {
        if number == ABSENT { 0 } else { u64::from(segment.impacts.passages_with(number)) }
    };
    Ok(index.segments.iter().zip(&numbers[start..]).map(of_segment).sum())
}

/// Weight of a query term: how often it stands in the query, times idf.
pub(crate) fn weight(index: &Snapshot, term: &str, boost: f32, passages_with: u64) -> Result<f32, Error> {
    let weight = boost * idf(index.statistics.passages, passages_with);
    if weight.is_finite() {
        return Ok(weight);
    }
    let expected = "a weight whose product with idf is finite";
    Err(Error::Argument { what: "weight", expected, got: format!("{boost} for \"{term}\"") })
}
