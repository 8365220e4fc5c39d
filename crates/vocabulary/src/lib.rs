//! Vectors of a dense retriever as distributions over a vocabulary (Ram et al., 2023, "What Are You Token About? Dense
//! Retrieval as Distributions Over the Vocabulary").
//!
//! A [`Head`] is the masked-language-model head of the model from which the retriever's encoder was initialized. It maps a
//! vector to one logit per token of the vocabulary. [`Head::project`] returns the most probable tokens of a vector, and
//! [`Head::ranks`] the ranks of given tokens. [`enrich`] goes the other way: it finds, for every token, a vector that the
//! head maps to that token. A [`Lexicon`] sums these over the tokens of a text and adds the result to the text's vector,
//! which is the paper's lexical enrichment.
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
//! // The rank of one token, without the others.
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
    Adam, EnrichOptions, Enrichments, EvenEnrichments, Losses, Objective, Start, cache_file, enrich,
    enrich_evenly, identity,
};
pub use error::Error;
pub use head::{Activation, Head};
pub use lexical::{Lexicon, Whitening, add_lexical, inverse_document_frequency, whiten};
pub use projection::{TokenRank, TokenScore};
