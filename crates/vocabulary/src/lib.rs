//! Vectors of a dense retriever as distributions over a vocabulary (Ram et al., 2023, "What Are You Token About? Dense
//! Retrieval as Distributions Over the Vocabulary"): through the masked-language-model head of the model that the encoder was
//! initialised from.
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
//! // Where those tokens stand, without the others.
//! let ranks = head.ranks(&vectors[..head.dim()], &[[tokens[0][9].token]], 0, &Control::new())?;
//! assert_eq!(ranks[0][0].rank, 10);
//! # Ok::<(), vocabulary::Error>(())
//! ```

#[cfg(target_endian = "big")]
compile_error!("safetensors and ONNX files are little-endian and are read in place");

mod activation;
mod best;
mod checkpoint;
mod enrich;
mod error;
mod head;
mod logits;
mod names;
mod onnx;
mod project;
mod ranks;
mod tensors;
mod threads;
mod total;
mod walk;

pub use activation::Activation;
pub use enrich::{
    Adam, EnrichOptions, Enrichments, EvenEnrichments, Lexicon, Losses, Objective, Start, Whitening,
    add_lexical, cache_file, enrich, enrich_evenly, identity, inverse_document_frequency, whiten,
};
pub use error::Error;
pub use head::Head;
pub use project::TokenScore;
pub use ranks::TokenRank;
