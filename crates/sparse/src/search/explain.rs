//! Why a passage has its score.

use tantivy::Term;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::IndexRecordOption;

use crate::Error;
use crate::analysis::query::Query;
use crate::index::integrity::engine_error;
use crate::index::snapshot::Snapshot;
use crate::scoring::bm25::{Bm25, contribution, idf};
use crate::search::query_terms::{passages_with, weight};

/// Why a passage has its score for a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The contributions, summed in f64 and rounded to f32: the score that a search gives.
    pub score: f32,
    /// Tokens of the passage, as BM25 sees them: through Lucene's one-byte code, exact up to 40.
    pub length: u32,
    /// Mean tokens of all passages with any.
    pub average_length: f32,
    /// The terms of the query, in the order of their first appearance, with those that the passage lacks.
    pub terms: Vec<TermExplanation>,
}

/// What one term adds to a score.
#[derive(Debug, Clone, PartialEq)]
pub struct TermExplanation {
    /// The term, as analysed.
    pub term: String,
    /// Times in the query, or its weight there.
    pub query_frequency: f32,
    /// Times in the passage.
    pub frequency: u32,
    /// Passages that have it.
    pub passages: u64,
    /// Its idf.
    pub idf: f32,
    /// What it adds to the score; 0 if the passage lacks it.
    pub contribution: f32,
}

pub(crate) fn explain(
    index: &Snapshot,
    query: &Query,
    id: &str,
    parameters: Bm25,
) -> Result<Explanation, Error> {
    parameters.check()?;
    let Some((segment, doc)) = index.find_id(id)? else {
        return Err(Error::UnknownPassage { operation: "explain", got: format!("id \"{id}\"") });
    };
    let read = |error: std::io::Error| engine_error("read", &index.path, error.into());
    let average_length = index.statistics.average_length();
    let code = segment.length_codes()[doc as usize];
    let norm = parameters.inverse_norms(average_length)[usize::from(code)];
    let mut terms = Vec::with_capacity(query.terms.len());
    for (text, boost) in &query.terms {
        let term = Term::from_field_text(index.fields.contents, text);
        let passages = passages_with(index, text, &mut Vec::new())?;
        let mut frequency = 0;
        if let Some(info) = segment.term_info(&term).map_err(read)? {
            let mut postings = segment
                .terms
                .read_block_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)
                .map_err(read)?;
            let at = postings.seek(doc);
            if postings.docs().get(at) == Some(&doc) {
                frequency = postings.freq(at);
            }
        }
        let weight = weight(index, text, *boost, passages)?;
        terms.push(TermExplanation {
            term: text.clone(),
            query_frequency: *boost,
            frequency,
            passages,
            idf: idf(index.statistics.passages, passages),
            contribution: if frequency > 0 { contribution(weight, frequency, norm) } else { 0.0 },
        });
    }
    let score = terms.iter().map(|term| f64::from(term.contribution)).sum::<f64>() as f32;
    Ok(Explanation { score, length: FieldNormReader::id_to_fieldnorm(code), average_length, terms })
}
