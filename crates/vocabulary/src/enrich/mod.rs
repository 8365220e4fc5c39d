//! Lexical enrichment (Ram et al., 2023, §6.2): for every token, a vector that the head maps to that token alone.
//!
//! `objective.rs` computes the cross-entropy of the head's distribution and one token, with its gradient; `softmax.rs` does
//! the part that involves the whole vocabulary. `search.rs` minimizes it by Adam for blocks of tokens, and `file.rs` saves
//! results and unfinished work. `even.rs` gives all tokens the same number of steps, as the paper does.

mod adam;
mod enrichments;
mod even;
mod file;
mod objective;
mod options;
mod search;
mod softmax;

pub use adam::Adam;
pub use enrichments::Enrichments;
pub use even::{EvenEnrichments, enrich_evenly};
pub use file::{cache_file, identity};
pub use objective::{Losses, Objective};
pub use options::{EnrichOptions, Start};
pub use search::enrich;
