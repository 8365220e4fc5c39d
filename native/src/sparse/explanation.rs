//! Explanations of scores.

use napi_derive::napi;

/// What one term contributes to a score.
#[napi(object)]
pub struct NativeTermExplanation {
    pub term: String,
    pub query_frequency: f64,
    pub frequency: u32,
    pub passages: u32,
    pub idf: f64,
    pub contribution: f64,
}

/// How the score of a passage comes about.
#[napi(object)]
pub struct NativeExplanation {
    pub score: f64,
    pub length: u32,
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
