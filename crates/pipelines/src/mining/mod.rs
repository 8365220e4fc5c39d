//! Mines training passages for a dense retriever, as Karpukhin et al. (2020, "Dense Passage Retrieval", §3.2 and §4.2)
//! do: [`match_contexts`] finds the passages of a corpus that correspond to contexts of another corpus, and
//! [`NegativeSelection::select`] chooses negative passages from the hits of a searcher or at random. Passages that
//! probably answer the question although they are not labeled as positive (*false negatives*) are never chosen.

mod draw;
mod guard;
mod match_contexts;
mod negatives;

pub use guard::{MinedQuestion, Rejections};
pub use match_contexts::{Context, ContextMatch, ContextMatching, match_contexts};
pub use negatives::{Candidates, Negative, NegativeSelection, QuestionNegatives, Sampling};
