//! Computes lexical vectors of texts from the vectors of their tokens, and adds them to the texts' dense vectors (Ram
//! et al., 2023, "What Are You Token About? Dense Retrieval as Distributions Over the Vocabulary", §6.2). `lexicon.rs`
//! does both. `word_pieces.rs` finds the tokens of texts and their weights. `whitening.rs` transforms the token vectors
//! before they are used.

mod lexicon;
mod whitening;
mod word_pieces;

pub use lexicon::{Lexicon, add_lexical, inverse_document_frequency};
pub use whitening::{Whitening, whiten};
pub use word_pieces::{
    PieceCounts, distinct_pieces, inverse_document_frequencies, title_and_text_pieces, weights_by_name,
};
