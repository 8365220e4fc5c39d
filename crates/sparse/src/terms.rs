//! The terms of a query, looked up in the segments.

use std::borrow::Cow;

use tantivy::Term;

use crate::Error;
use crate::bm25::{Bm25, idf, saturated};
use crate::impacts::TermImpacts;
use crate::integrity::engine_error;
use crate::passage_set::PassageSet;
use crate::query::Query;
use crate::segments::{Segment, Segments};
use crate::term_cache::ABSENT;

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
    pub fn new(index: &Segments, query: &Query) -> Result<Self, Error> {
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
    pub ratios: Cow<'a, Ratios>,
    /// A bit for each passage that may be a hit; all may if there are none.
    pub allowed: Option<Cow<'a, [u64]>>,
}

/// The segments in which a query may have hits, given what a filter lets through in each.
pub(crate) fn parts<'a>(
    index: &'a Segments,
    terms: &WeightedTerms,
    parameters: Bm25,
    filter: Option<&'a [PassageSet]>,
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
            allowed: segment.allowed(filter),
        })
    })
}

/// Passages of all segments that have this term. Appends the term's number in each segment.
pub(crate) fn passages_with(index: &Segments, text: &str, numbers: &mut Vec<u32>) -> Result<u64, Error> {
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
pub(crate) fn weight(index: &Segments, term: &str, boost: f32, passages_with: u64) -> Result<f32, Error> {
    let weight = boost * idf(index.statistics.passages, passages_with);
    if weight.is_finite() {
        return Ok(weight);
    }
    let expected = "a weight whose product with idf is finite";
    Err(Error::Argument { what: "weight", expected, got: format!("{boost} for \"{term}\"") })
}

/// A segment's impacts with parameters and an average length: what is the same for all terms.
#[derive(Debug, Clone)]
pub(crate) struct Ratios {
    /// For each length code 1 / norm.
    inverse_norms: [f32; 256],
    /// For each code r = frequency / norm.
    pub by_code: [f32; 256],
    /// For each code 1 − 1 / (1 + r), of which the contribution is made but for rounding.
    pub gains: [f32; 256],
}

impl Ratios {
    pub fn new(segment: &Segment, parameters: Bm25, average_length: f32) -> Self {
        let inverse_norms = parameters.inverse_norms(average_length);
        let by_code = segment.impacts.dictionary.ratios(&inverse_norms);
        Self { inverse_norms, by_code, gains: by_code.map(|ratio| saturated(1.0, ratio)) }
    }

    /// That of an impact without a code.
    pub fn escaped(&self, segment: &Segment, passage: u32, frequency: u32) -> f32 {
        frequency as f32 * self.inverse_norms[usize::from(segment.length_codes()[passage as usize])]
    }
}
