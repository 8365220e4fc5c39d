//! Finds single-token enrichments: for every token, a vector for which the head gives that token a probability near 1
//! (Ram et al., 2023, §6.2). The folder `lexical` adds these vectors to the vectors of texts.
//!
//! `objective.rs` computes the cross-entropy between the head's distribution and one token, with its gradient. It calls
//! `softmax.rs` for the logits of the whole vocabulary. `search.rs` minimizes the cross-entropy with Adam (`adam.rs`)
//! for blocks of tokens; this minimization is called the search for enrichments. `options.rs` has its options and
//! `enrichments.rs` its result, and `file.rs` saves results and unfinished work. In `search.rs` each token stops on its
//! own; `equal_steps.rs` gives all tokens the same number of steps, as the paper does. `token_vectors.rs` returns one
//! vector per token: an enrichment of either kind, or the token's row of the decoder.

mod adam;
mod enrichments;
mod equal_steps;
mod file;
mod objective;
mod options;
mod search;
mod softmax;
mod token_vectors;

pub use adam::Adam;
pub use enrichments::Enrichments;
pub use equal_steps::{EqualStepEnrichments, enrich_with_equal_steps};
pub use file::{cache_file, identity};
pub use objective::{Losses, Objective};
pub use options::{EnrichOptions, Start};
pub use search::enrich;
pub use token_vectors::TokenVectors;
