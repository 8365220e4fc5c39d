//! Lexical enrichment (Ram et al., 2023, §6.2): vectors that stand for single tokens, found through a head.

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
