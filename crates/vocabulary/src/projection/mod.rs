//! Projections of vectors onto the vocabulary: the likeliest tokens, the ranks of given tokens, or all logits.

mod all_logits;
mod collector;
mod log_sum_exp;
mod ranks;
mod scan;
mod top_tokens;

pub use ranks::TokenRank;
pub use top_tokens::TokenScore;
