//! Looks up the terms of a query in the segments of an index.
//!
//! [`WeightedTerms`] has the weight of each term, and the term's ordinal in the term dictionary of each segment.
//! [`segment_queries`] turns the weighted terms into one [`SegmentQuery`] per segment, which has all that a scorer
//! reads: postings, contributions, and the allowed passages.

use std::borrow::Cow;

use ranking::BitSet;

use crate::Error;
use crate::analysis::query::Query;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::term_cache::{NO_TERM_ORD, TermStatistics};
use crate::postings::TermPostings;
use crate::scoring::bm25::{Bm25, idf};
use crate::scoring::contribution_table::ContributionTable;

/// A query term that at least one passage has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeightedTerm {
    /// The term's weight in the query times its idf.
    pub weight: f32,
    /// The index of the term's first ordinal in [`WeightedTerms::term_ords`].
    ords_start: usize,
}

/// The query terms that at least one passage has, in the order of the query.
pub(crate) struct WeightedTerms {
    pub terms: Vec<WeightedTerm>,
    /// For each term, its ordinal in the term dictionary of each segment; [`NO_TERM_ORD`] if the segment does not have
    /// the term.
    term_ords: Vec<u32>,
}

/// A query term that a segment has.
pub(crate) struct SegmentTerm<'a> {
    /// The term's weight in the query times its idf.
    pub weight: f32,
    pub postings: TermPostings<'a>,
}

impl WeightedTerms {
    /// Looks up the terms of a query.
    pub fn new(index: &Snapshot, query: &Query) -> Result<Self, Error> {
        let mut terms = Vec::with_capacity(query.terms.len());
        let mut term_ords = Vec::with_capacity(query.terms.len() * index.segments.len());
        for (text, boost) in &query.terms {
            let ords_start = term_ords.len();
            let TermStatistics { doc_freq, idf } = look_up_term(index, text, &mut term_ords)?;
            if doc_freq > 0 {
                terms.push(WeightedTerm { weight: weight(text, *boost, idf)?, ords_start });
            } else {
                term_ords.truncate(ords_start);
            }
        }
        Ok(Self { terms, term_ords })
    }

    /// Returns the query terms that a segment has. `segment_index` is the segment's index in the snapshot.
    pub fn in_segment<'a>(&self, segment: &'a Segment, segment_index: usize) -> Vec<SegmentTerm<'a>> {
        let terms = self.terms.iter().filter_map(|term| {
            let term_ord = self.term_ords[term.ords_start + segment_index];
            (term_ord != NO_TERM_ORD)
                .then(|| SegmentTerm { weight: term.weight, postings: segment.impacts.term(term_ord) })
        });
        terms.collect()
    }
}

/// The part of a query that concerns one segment.
pub(crate) struct SegmentQuery<'a> {
    pub segment: &'a Segment,
    /// Number of passages in the segments before this one. A passage's position in the index is this number plus the
    /// passage's place in the segment.
    pub first_position: u32,
    pub terms: Vec<SegmentTerm<'a>>,
    pub contributions: Cow<'a, ContributionTable>,
    /// One bit per passage, set if the passage may be a hit. `None` if all may be hits.
    pub allowed: Option<Cow<'a, [u64]>>,
}

/// Returns a query for each segment that may have hits. `filter` has the set of allowed passages of each segment.
pub(crate) fn segment_queries<'a>(
    index: &'a Snapshot,
    terms: &WeightedTerms,
    parameters: Bm25,
    filter: Option<&'a [BitSet]>,
) -> impl Iterator<Item = SegmentQuery<'a>> {
    let mut next_position = 0;
    index.segments.iter().enumerate().filter_map(move |(segment_index, segment)| {
        let filter = filter.map(|sets| &sets[segment_index]);
        let first_position = next_position;
        next_position += segment.passages.len() as u32;
        filter.is_none_or(|set| !set.is_empty()).then(|| SegmentQuery {
            segment,
            first_position,
            terms: terms.in_segment(segment, segment_index),
            contributions: index.contributions(segment_index, parameters),
            allowed: segment.allowed(filter.map(BitSet::words)),
        })
    })
}

/// Returns the statistics of a term. Appends the term's ordinal in each segment, or [`NO_TERM_ORD`], to `term_ords`.
pub(crate) fn look_up_term(
    index: &Snapshot,
    term: &str,
    term_ords: &mut Vec<u32>,
) -> Result<TermStatistics, Error> {
    index.term_cache.look_up(term, term_ords, |term_ords| {
        let mut doc_freq = 0;
        for segment in &index.segments {
            let term_ord = segment.impacts.term_ord(term);
            let term_ord =
                term_ord.map_err(|got| Error::corrupt(&index.path, "an intact term dictionary", got))?;
            doc_freq += term_ord.map_or(0, |term_ord| u64::from(segment.impacts.doc_freq(term_ord)));
            term_ords.push(term_ord.unwrap_or(NO_TERM_ORD));
        }
        Ok(TermStatistics { doc_freq, idf: idf(index.statistics.passages, doc_freq) })
    })
}

/// Returns the weight of a query term: its weight in the query, which is the number of its occurrences if the query is
/// a text, times its idf.
pub(crate) fn weight(term: &str, boost: f32, idf: f32) -> Result<f32, Error> {
    let weight = boost * idf;
    if weight.is_finite() {
        return Ok(weight);
    }
    let expected = "a weight whose product with the idf is finite";
    Err(Error::Argument { what: "weight", expected, got: format!("{boost} for \"{term}\"") })
}
