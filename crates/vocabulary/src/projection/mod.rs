//! Projections of vectors onto the vocabulary: the most probable tokens, the ranks of given tokens, or all logits.
//!
//! One scan of the decoder (`scan.rs`) serves all three. It computes the logits of a group of vectors for a block of
//! tokens at a time and hands them to collectors (`collector.rs`), one per vector. The logits of a whole vocabulary are
//! therefore never in memory, unless all logits were requested. `log_sum_exp.rs` computes the logarithm of the
//! softmax's denominator. The three collectors are in `top_tokens.rs`, `ranks.rs` and `all_logits.rs`.

mod all_logits;
mod collector;
mod log_sum_exp;
mod ranks;
mod scan;
mod top_tokens;

pub use ranks::TokenRank;
pub use top_tokens::TokenScore;
