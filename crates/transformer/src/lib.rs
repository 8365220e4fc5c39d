//! Models with the architecture of BERT (Devlin et al., 2019), optionally with relative position biases (MPNet): encoders
//! and readers. They are read from ONNX files and from folders of Hugging Face models, run with the kernels of
//! [`kernels::network`], and written in both formats.
//!
//! - [`onnx::read`] reads the [`Weights`](weights::Weights) of a model from an ONNX file, if it recognizes the model in
//!   the file's graph. [`onnx::write()`] writes such a file.
//! - [`hugging_face::read`] and [`hugging_face::write()`] do the same for a folder with `config.json` and
//!   `model.safetensors`.
//! - [`quantize`] rounds weights to bytes, which makes a model smaller and faster; [`dequantize`] makes floats again.
//! - [`TensorFile`] reads individual tensors from a safetensors file.
//! - [`Model`] arranges the weights for products and computes the outputs of texts.
//!
//! Texts are not padded. The weights of quantized models stay bytes. Activations are quantized row by row, and the
//! kernels add numbers in a fixed order. Therefore, the outputs of a text depend neither on the other texts of the
//! call, nor on the number of threads or the CPU.

mod attention;
mod check;
mod embed;
mod error;
pub mod hugging_face;
mod linear;
mod model;
pub mod onnx;
mod quantize;
mod relative_position_biases;
mod tensor_file;
pub mod weights;

pub use error::Error;
pub use model::{Model, Values};
pub use quantize::{Bits, dequantize, quantize};
pub use tensor_file::{TensorFile, TensorFileError};

/// The tokens of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    /// Token ids, special tokens included.
    pub ids: &'a [u32],
    /// Number of tokens of type 0 at the beginning. The others have the type 1.
    pub type_0_count: usize,
}
