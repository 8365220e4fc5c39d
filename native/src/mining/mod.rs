//! Mines passages for training a dense retriever: matches contexts with passages of a corpus, and selects negatives.

mod context_matcher;
mod negative_miner;
