//! BM25 scores, explained term by term.

use napi_derive::napi;

/// The contribution of one term to a score.
#[napi(object)]
pub struct NativeTermExplanation {
    pub term: String,
    /// How often the term occurs in the query.
    pub query_frequency: f64,
    /// How often the term occurs in the passage.
    pub frequency: u32,
    /// Document frequency: the number of passages that have the term.
    pub passages: u32,
    pub idf: f64,
    pub contribution: f64,
}

/// The BM25 score of a passage, with the contribution of each term.
#[napi(object)]
pub struct NativeExplanation {
    pub score: f64,
    /// Number of terms in the passage, as BM25 uses it: quantized to one byte, as in Lucene.
    pub length: u32,
    /// Mean number of terms per passage, over the passages that have any terms.
    pub average_length: f64,
    pub terms: Vec<NativeTermExplanation>,
}

impl From<sparse::Explanation> for NativeExplanation {
    fn from(explained: sparse::Explanation) -> Self {
        let term = |term: sparse::TermExplanation| NativeTermExplanation {
            term: term.term,
            query_frequency: f64::from(term.query_frequency),
            frequency: term.frequency,
            passages: term.passages as u32,
            idf: f64::from(term.idf),
            contribution: f64::from(term.contribution),
        };
        Self {
            score: f64::from(explained.score),
            length: explained.length,
            average_length: f64::from(explained.average_length),
            terms: explained.terms.into_iter().map(term).collect(),
        }
    }
}
