//! Finds the file of a model's folder that has its head, and reads it as that format.

use std::path::{Path, PathBuf};

use super::{Head, checkpoint, onnx};
use crate::Error;

/// Where the head of a model's folder may be; the first that is there is read.
const FILES: [&str; 5] =
    ["mlm_head.safetensors", "mlm_head.onnx", "model.safetensors", "model.onnx", "onnx/model.onnx"];

impl Head {
    /// Reads the head of the model in a folder, from the first of `mlm_head.safetensors`, `mlm_head.onnx`, `model.safetensors`,
    /// `model.onnx` and `onnx/model.onnx` that is there.
    ///
    /// In safetensors it has the names of BERT (`cls.predictions.*`), RoBERTa and MPNet (`lm_head.*`), DistilBERT (`vocab_*`)
    /// or bare ones (`dense`, `layer_norm`, `decoder`); numbers of 16 bits become `f32`. A decoder that is not there is the
    /// word embeddings. Activation and epsilon are those of `config.json`, else of the file's own notes, else GELU and 1e-12.
    ///
    /// In ONNX it is what stands before the output `logits`, or before the only output that a head stands before, whatever
    /// its parts are called. Activation and epsilon are those of the graph; weights of 8 bits with scales become the `f32`
    /// that they stand for.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] where a part is missing or of another shape than the others ask for, and where the
    /// graph computes logits in another way.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = file(folder)?;
        if is_graph(&path) { onnx::open(&path) } else { checkpoint::open(folder, &path) }
    }

    /// The files whose bytes decide what [`open`](Self::open) reads of weights: of a graph that has some outside, those files too.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), for a folder with none of them and for a graph that cannot be read.
    pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let path = file(folder)?;
        if is_graph(&path) { onnx::files(&path) } else { Ok(vec![path]) }
    }
}

/// The file of a model's folder that its head is in.
fn file(folder: &Path) -> Result<PathBuf, Error> {
    FILES
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| Error::format(folder, format!("a folder with {}", FILES.join(" or ")), "none there"))
}

fn is_graph(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "onnx")
}
