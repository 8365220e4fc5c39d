//! Vectors of a dense retriever as distributions over a vocabulary (Ram et al., 2023, "What Are You Token About? Dense
//! Retrieval as Distributions Over the Vocabulary"): through the masked-language-model head of the model that the encoder was
//! initialised from.
//!
//! ```no_run
//! use vocabulary::Head;
//!
//! let head = Head::open("models/minilm-mlm-head".as_ref())?;
//! let transformed = head.transform(&vec![0.5; 2 * head.dim()]);
//! assert_eq!(transformed.len(), 2 * head.inner_dim());
//! # Ok::<(), vocabulary::Error>(())
//! ```

#[cfg(target_endian = "big")]
compile_error!("safetensors files are little-endian and are read in place");

mod activation;
mod error;
mod head;
mod names;
mod tensors;

pub use activation::Activation;
pub use error::Error;
pub use head::Head;
