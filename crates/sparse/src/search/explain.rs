//! Explains why a passage has its score: the contribution of each query term, and the numbers that the contribution is
//! computed from. A scorer reads all postings of a term; an explanation looks up one passage.

use tantivy::fieldnorm::FieldNormReader;

use crate::Error;
use crate::analysis::query::Query;
use crate::index::segment::Segment;
use crate::index::snapshot::{Location, Snapshot};
use crate::index::term_cache::TermStatistics;
use crate::scoring::bm25::{Bm25, contribution};
use crate::search::query_terms::{look_up_term, weight};

/// Why a passage has its score for a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The sum of the contributions, computed in f64 and rounded to f32. It equals the score in a search.
    pub score: f32,
    /// The number of tokens of the passage as BM25 sees it: quantized to one byte, as in Lucene. It is exact for up to
    /// 40 tokens.
    pub length: u32,
    /// The mean number of tokens of the passages that have at least one token.
    pub average_length: f32,
    /// The terms of the query in the order of their first occurrence, including those that the passage lacks.
    pub terms: Vec<TermExplanation>,
}

/// What one query term contributes to a passage's score.
#[derive(Debug, Clone, PartialEq)]
pub struct TermExplanation {
    /// The analyzed term.
    pub term: String,
    /// The number of times that the term occurs in the query, or the term's weight if the query has weights.
    pub query_frequency: f32,
    /// The number of times that the term occurs in the passage.
    pub frequency: u32,
    /// The number of passages that have the term.
    pub passages: u64,
    /// The term's inverse document frequency.
    pub idf: f32,
    /// What the term contributes to the score; 0 if the passage lacks it.
    pub contribution: f32,
}

/// Explains the score of the passage with this id.
pub(crate) fn explain(
    index: &Snapshot,
    query: &Query,
    id: &str,
    parameters: Bm25,
) -> Result<Explanation, Error> {
    parameters.check()?;
    let Some(Location { segment, doc }) = index.find_id(id)? else {
        return Err(Error::UnknownPassage { operation: "explain", got: format!("id \"{id}\"") });
    };
    let average_length = index.statistics.average_length();
    let fieldnorm = segment.impacts.fieldnorms()[doc as usize];
    let inverse_norm = parameters.inverse_norms(average_length)[usize::from(fieldnorm)];
    let mut terms = Vec::with_capacity(query.terms.len());
    for (text, boost) in &query.terms {
        let TermStatistics { doc_freq, idf } = look_up_term(index, text, &mut Vec::new())?;
        let frequency = frequency(segment, text, doc)
            .map_err(|got| Error::corrupt(&index.path, "an intact term dictionary", got))?;
        let weight = weight(text, *boost, idf)?;
        terms.push(TermExplanation {
            term: text.clone(),
            query_frequency: *boost,
            frequency,
            passages: doc_freq,
            idf,
            contribution: if frequency > 0 { contribution(weight, frequency, inverse_norm) } else { 0.0 },
        });
    }
    let score = terms.iter().map(|term| f64::from(term.contribution)).sum::<f64>() as f32;
    Ok(Explanation { score, length: FieldNormReader::id_to_fieldnorm(fieldnorm), average_length, terms })
}

/// Returns the number of times that a term occurs in a passage. The error says what was found in place of an intact
/// term dictionary.
fn frequency(segment: &Segment, term: &str, doc: u32) -> Result<u32, String> {
    let impacts = &segment.impacts;
    let term_ord = impacts.term_ord(term)?;
    Ok(term_ord.map_or(0, |term_ord| impacts.term(term_ord).frequency(&impacts.dictionary, doc)))
}
