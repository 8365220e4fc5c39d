//! Finds the file with the head in a model folder, and opens it.

use std::path::{Path, PathBuf};

use super::{Head, checkpoint, onnx};
use crate::Error;

/// The files that may contain a head. The first one that exists is read.
const FILES: [&str; 5] =
    ["mlm_head.safetensors", "mlm_head.onnx", "model.safetensors", "model.onnx", "onnx/model.onnx"];

impl Head {
    /// Reads the head of the model in a folder, from the first of these files that exists: `mlm_head.safetensors`,
    /// `mlm_head.onnx`, `model.safetensors`, `model.onnx`, `onnx/model.onnx`.
    ///
    /// In a safetensors file, the tensors have the names that BERT (`cls.predictions.*`), RoBERTa and MPNet
    /// (`lm_head.*`) or DistilBERT (`vocab_*`) give them, or short names (`dense`, `layer_norm`, `decoder`). 16-bit
    /// floats are converted to `f32`. If the file has no decoder, the word embeddings are the decoder. Activation and
    /// epsilon are read from `config.json`, or else from the file's own metadata; the defaults are GELU and 1e-12.
    /// RoBERTa and MPNet always use GELU.
    ///
    /// In an ONNX file, the head is the subgraph that computes the output `logits`. If there is no output of this name,
    /// the head is the subgraph that computes an output and has the structure of a head; there must be exactly one such
    /// subgraph. The names of nodes and weights do not matter. Activation and epsilon are those of the graph. Quantized
    /// 8-bit weights are dequantized to `f32`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] if a part of the head is missing, if the shapes of two parts do not match, or
    /// if the subgraph does not have the structure of a head.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = head_file(folder)?;
        if is_onnx(&path) { onnx::open(&path) } else { checkpoint::open(folder, &path) }
    }

    /// Returns the files whose bytes determine the weights that [`open`](Self::open) reads: the file with the head and,
    /// if it is an ONNX file, its external data files.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] if the folder has none of the files or the graph is damaged; [`Error::Io`].
    pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let path = head_file(folder)?;
        if is_onnx(&path) { onnx::files(&path) } else { Ok(vec![path]) }
    }
}

/// Returns the path of the file with the head.
fn head_file(folder: &Path) -> Result<PathBuf, Error> {
    FILES
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| Error::format(folder, format!("a folder with {}", FILES.join(" or ")), "none of them"))
}

fn is_onnx(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "onnx")
}
