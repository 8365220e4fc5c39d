//! Loss functions. Each returns the loss, and replaces its inputs with their gradients.
//!
//! - [`Similarity`] compares the vectors of questions with those of passages.
//! - [`nll_loss`] and [`triplet_loss`] compare the similarities of a question's positive passage and of its other
//!   candidates (Karpukhin et al., 2020, §3.2 and appendix B).
//! - [`marginal_nll_loss`] compares the similarities of several positive passages with those of all passages.
//! - [`reader_loss`] is that of a reader (Karpukhin et al., 2020, §6.1).

mod candidates;
mod marginal;
mod nll;
mod reader;
mod similarity;
mod triplet;

pub use candidates::Candidates;
pub use marginal::marginal_nll_loss;
pub use nll::nll_loss;
pub use reader::{PassageSpans, reader_loss};
pub use similarity::{Similarity, l2_normalize, l2_normalize_backward};
pub use triplet::triplet_loss;
