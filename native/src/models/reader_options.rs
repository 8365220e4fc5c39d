//! Parses options of readers that JavaScript passes as names.

use reading::{Merge, SpanScoring};

use crate::call::{CallResult, Failure};

/// Parses the name of a formula that scores spans.
pub fn parse_scoring(name: &str) -> CallResult<SpanScoring> {
    match name {
        "original" => Ok(SpanScoring::Original),
        "normalized" => Ok(SpanScoring::Normalized),
        "probability" => Ok(SpanScoring::Probability),
        "summedProbability" => Ok(SpanScoring::SummedProbability),
        other => {
            let expected = "original, normalized, probability or summedProbability";
            Err(Failure::argument(format!("scoring: expected {expected}, got \"{other}\"")))
        }
    }
}

/// Parses the name of a rule that decides which spans are the same answer.
pub fn parse_merge(name: &str) -> CallResult<Merge> {
    match name {
        "text" => Ok(Merge::Text),
        "normalized" => Ok(Merge::Normalized),
        other => Err(Failure::argument(format!("merge: expected text or normalized, got \"{other}\""))),
    }
}
