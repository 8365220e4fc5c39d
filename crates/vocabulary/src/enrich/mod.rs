//! Lexical enrichment (Ram et al., 2023, §6.2): vectors that stand for single tokens, found through a head, and the lexical
//! vectors of texts that are made of them.

mod adam;
mod even;
mod file;
mod lexical;
mod objective;
mod options;
mod products;
mod search;
mod softmax;
mod whiten;

pub use adam::Adam;
pub use even::{EvenEnrichments, enrich_evenly};
pub use lexical::{Lexicon, add_lexical, inverse_document_frequency};
pub use objective::{Losses, Objective};
pub use options::{EnrichOptions, Start};
pub use search::{Enrichments, cache_file, enrich, identity};
pub use whiten::{Whitening, whiten};
