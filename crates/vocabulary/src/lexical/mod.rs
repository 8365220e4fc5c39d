//! Computes lexical vectors of texts from the vectors of their tokens, and adds them to dense vectors (Ram et al., 2023, §6.2).

mod lexicon;
mod whitening;

pub use lexicon::{Lexicon, add_lexical, inverse_document_frequency};
pub use whitening::{Whitening, whiten};
