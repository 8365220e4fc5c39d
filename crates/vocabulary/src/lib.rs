//! Projects the vectors of a dense retriever to distributions over a vocabulary (Ram et al., 2023, "What Are You Token
//! About? Dense Retrieval as Distributions Over the Vocabulary").
//!
//! A [`Head`] is the masked-language-model head of the model from which the retriever's encoder was initialized. It
//! maps a vector to one logit per token of the vocabulary. [`Head::project`] returns the most probable tokens of a
//! vector, and [`Head::ranks`] the ranks of given tokens. [`enrich`] goes in the other direction: for every token, it
//! finds a vector for which the head gives that token a probability near 1. For the paper's lexical enrichment, a
//! [`Lexicon`] averages these vectors over the tokens of a text and adds the result to the text's vector.
//!
//! ```
//! use control::Control;
//! use vocabulary::Head;
//!
//! let head = Head::open("../../models/minilm-mlm-head".as_ref())?;
//! let vectors = vec![0.5; 2 * head.dim()];
//! let tokens = head.project(&vectors, 10, 0, &Control::new())?;
//! assert_eq!(tokens[1].len(), 10);
//! assert!(tokens[1][0].probability >= tokens[1][9].probability);
//! // `ranks` returns the ranks of given tokens only.
//! let ranks = head.ranks(&vectors[..head.dim()], &[[tokens[0][9].token]], 0, &Control::new())?;
//! assert_eq!(ranks[0][0].rank, 10);
//! # Ok::<(), vocabulary::Error>(())
//! ```

#[cfg(target_endian = "big")]
compile_error!("safetensors and ONNX files are little-endian and are read in place");

mod enrich;
mod error;
mod head;
mod lexical;
mod matmul;
mod projection;

pub use enrich::{
    Adam, EnrichOptions, Enrichments, EqualStepEnrichments, Losses, Objective, Start, TokenVectors,
    cache_file, enrich, enrich_with_equal_steps, identity,
};
pub use error::Error;
pub use head::{Activation, Head};
pub use lexical::{
    Lexicon, PieceCounts, Whitening, add_lexical, distinct_pieces, inverse_document_frequencies,
    inverse_document_frequency, title_and_text_pieces, weights_by_name, whiten,
};
pub use projection::{TokenRank, TokenScore};
