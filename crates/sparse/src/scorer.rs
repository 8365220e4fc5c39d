//! Exhaustive scoring, a term at a time, in windows of passages that stay in the cache.

use std::cell::Cell;

use control::Control;
use ranking::Hit;
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Term};

use crate::Error;
use crate::bm25::{Bm25, contribution, idf};
use crate::integrity::engine_error;
use crate::passage_set::PassageSet;
use crate::query::Query;
use crate::segments::{Segment, Segments};
use crate::selection::{Selection, UNTOUCHED};

/// Passages whose sums are built at a time: 256 KiB of accumulators.
const WINDOW: usize = 32_768;

/// Accumulators looked at together when hits are collected.
const GROUP: usize = 16;

thread_local! {
    /// Accumulators, all untouched between uses.
    static ACCUMULATORS: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// A query term with its weight, and where its postings are in each segment.
struct WeightedTerm {
    weight: f32,
    infos: Vec<Option<TermInfo>>,
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
    let terms = weighted(index, query)?;
    let norms = parameters.inverse_norms(index.statistics.average_length());
    let mut selection = Selection::new(k);
    let mut accumulators = ACCUMULATORS.take();
    let longest = index.segments.iter().map(|segment| segment.passages.len()).max().unwrap_or(0).min(WINDOW);
    if accumulators.len() < longest {
        accumulators.resize(longest, UNTOUCHED);
    }
    for (at, segment) in index.segments.iter().enumerate() {
        let filter = filter.map(|sets| &sets[at]);
        if filter.is_some_and(PassageSet::is_empty) {
            continue;
        }
        let mut cursors = Vec::with_capacity(terms.len());
        for term in &terms {
            if let Some(info) = &term.infos[at] {
                let postings =
                    segment.terms.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs);
                let postings = postings.map_err(|error| engine_error("read", &index.path, error.into()))?;
                cursors.push(Cursor { weight: term.weight, postings, at: 0 });
            }
        }
        score_segment(segment, cursors, &norms, filter, &mut accumulators, &mut selection, control)?;
    }
    // Not reached after an error or a panic: what was touched then goes with the vector.
    ACCUMULATORS.set(accumulators);
    Ok(selection.into_sorted())
}

/// Passages of all segments that have this term.
pub(crate) fn passages_with(index: &Segments, term: &Term) -> Result<(u64, Vec<Option<TermInfo>>), Error> {
    let infos = index.segments.iter().map(|segment| segment.term_info(term)).collect::<Result<Vec<_>, _>>();
    let infos = infos.map_err(|error| engine_error("read", &index.path, error.into()))?;
    Ok((infos.iter().flatten().map(|info| u64::from(info.doc_freq)).sum(), infos))
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

fn weighted(index: &Segments, query: &Query) -> Result<Vec<WeightedTerm>, Error> {
    let mut terms = Vec::with_capacity(query.terms.len());
    for (text, boost) in &query.terms {
        let (passages, infos) = passages_with(index, &Term::from_field_text(index.fields.contents, text))?;
        if passages > 0 {
            terms.push(WeightedTerm { weight: weight(index, text, *boost, passages)?, infos });
        }
    }
    Ok(terms)
}

/// Postings of a term, read up to somewhere in a block.
struct Cursor {
    weight: f32,
    postings: BlockSegmentPostings,
    at: usize,
}

impl Cursor {
    /// Adds the contributions of passages from `start` on, as many as there are accumulators. Whether postings
    /// are left.
    fn accumulate(&mut self, start: DocId, codes: &[u8], norms: &[f32; 256], sums: &mut [f64]) -> bool {
        let end = start + sums.len() as DocId;
        loop {
            let docs = &self.postings.docs()[self.at..];
            if docs.is_empty() {
                return false;
            }
            let frequencies = &self.postings.freqs()[self.at..];
            let inside =
                if docs[docs.len() - 1] < end { docs.len() } else { docs.partition_point(|&doc| doc < end) };
            for (&doc, &frequency) in docs[..inside].iter().zip(frequencies) {
                let at = (doc - start) as usize;
                sums[at] += f64::from(contribution(self.weight, frequency, norms[usize::from(codes[at])]));
            }
            if inside < docs.len() {
                self.at += inside;
                return true;
            }
            self.at = 0;
            self.postings.advance();
        }
    }
}

fn score_segment(
    segment: &Segment,
    mut cursors: Vec<Cursor>,
    norms: &[f32; 256],
    filter: Option<&PassageSet>,
    accumulators: &mut [f64],
    selection: &mut Selection,
    control: &Control,
) -> Result<(), Error> {
    let codes = segment.length_codes();
    for (window, codes) in codes.chunks(WINDOW).enumerate() {
        if cursors.is_empty() {
            return Ok(());
        }
        control.check()?;
        let start = (window * WINDOW) as DocId;
        let sums = &mut accumulators[..codes.len()];
        cursors.retain_mut(|cursor| cursor.accumulate(start, codes, norms, sums));
        collect(segment, filter, start, sums, selection);
    }
    Ok(())
}

/// Offers what was touched to the selection and makes it untouched again.
fn collect(
    segment: &Segment,
    filter: Option<&PassageSet>,
    start: DocId,
    sums: &mut [f64],
    selection: &mut Selection,
) {
    let alive = segment.reader.alive_bitset();
    let wanted = |doc| {
        alive.is_none_or(|alive| alive.is_alive(doc)) && filter.is_none_or(|filter| filter.contains(doc))
    };
    for (group, sums) in (start..).step_by(GROUP).zip(sums.chunks_mut(GROUP)) {
        let bound = selection.bound();
        if sums.iter().any(|sum| sum.to_bits() as i64 > bound) {
            for (doc, sum) in (group..).zip(sums.iter()) {
                if sum.to_bits() as i64 > bound && wanted(doc) {
                    selection.push(Hit { ord: segment.passages.ord(doc), score: *sum as f32 });
                }
            }
        }
        sums.fill(UNTOUCHED);
    }
}
