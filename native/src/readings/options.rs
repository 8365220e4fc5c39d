//! Options for making and scoring readings, as JavaScript passes them.

use napi_derive::napi;
use reading::{Evidence, Scoring, SpanLimits};

use crate::call::CallResult;
use crate::models::{parse_merge, parse_scoring};

/// Which spans of a passage a reading stores.
#[napi(object)]
pub struct NativeSpanLimits {
    /// Maximum number of spans per passage.
    pub spans_per_passage: u32,
    /// Maximum number of tokens of a span.
    pub max_answer_tokens: u32,
}

impl NativeSpanLimits {
    pub fn parse(&self) -> SpanLimits {
        SpanLimits { max_spans: self.spans_per_passage as usize, max_tokens: self.max_answer_tokens as usize }
    }
}

/// How answers are scored.
#[napi(object)]
pub struct NativeScoring {
    /// How spans are scored: `original`, `normalized`, `probability` or `summedProbability`.
    pub scoring: String,
    /// Weight of the reader's relevance logit.
    pub beta: f64,
    /// Weight of the retrieval score.
    pub gamma: f64,
    /// Which spans are the same answer: those with equal texts (`text`) or with equal normalized texts (`normalized`).
    pub merge: String,
}

impl NativeScoring {
    pub fn parse(&self) -> CallResult<Scoring> {
        let evidence = Evidence { beta: self.beta, gamma: self.gamma };
        Ok(Scoring { spans: parse_scoring(&self.scoring)?, evidence, merge: parse_merge(&self.merge)? })
    }
}
