//! A model that the crate `transformer` runs.

use std::path::{Path, PathBuf};

use control::Control;
use rayon::{ThreadPool, ThreadPoolBuilder};
use transformer::onnx;
use transformer::{Text, Values};

use super::tensor::{Tensor, no_output};
use crate::{Batch, Error};

/// The name of the threads that run models.
pub(super) const THREAD_NAME: &str = "passagekit-model";

/// A model that the crate `transformer` runs.
pub(super) struct BuiltInModel {
    path: PathBuf,
    inner: transformer::Model,
    /// The threads that run the model; `None` for the thread of the session.
    pool: Option<ThreadPool>,
}

impl BuiltInModel {
    /// Opens the model. If the crate `transformer` does not recognize it, returns the reason as the inner error.
    pub(super) fn open(path: &Path, threads: usize) -> Result<Result<Self, String>, Error> {
        let weights = match onnx::read(path) {
            Ok(weights) => weights,
            Err(onnx::Error::Unrecognized { reason, .. }) => return Ok(Err(reason.to_string())),
            Err(onnx::Error::Io { path, source }) => return Err(Error::Io { path, source }),
            Err(onnx::Error::Malformed { path, expected, got }) => {
                return Err(Error::model(&path, expected, got));
            }
            Err(error) => return Err(Error::model(path, "an ONNX model", error.to_string())),
        };
        let inner = match transformer::Model::new(weights) {
            Ok(model) => model,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let pool = (threads > 1).then(|| {
            let builder = ThreadPoolBuilder::new().num_threads(threads);
            builder.thread_name(|_| THREAD_NAME.to_owned()).build()
        });
        let io = |error| Error::Io { path: path.to_path_buf(), source: std::io::Error::other(error) };
        Ok(Ok(Self { path: path.to_path_buf(), inner, pool: pool.transpose().map_err(io)? }))
    }

    /// Names of the outputs.
    pub(super) fn outputs(&self) -> &[String] {
        self.inner.outputs()
    }

    /// Runs one batch, as [`Session::run`](crate::Session::run) documents.
    pub(super) fn run(
        &self,
        batch: &Batch,
        output_names: &[String],
        control: &Control,
    ) -> Result<Vec<Tensor>, Error> {
        let number = |name: &String| {
            let found = self.outputs().iter().position(|output| output == name);
            found.ok_or_else(|| no_output(&self.path, name, self.outputs()))
        };
        let outputs = output_names.iter().map(number).collect::<Result<Vec<_>, Error>>()?;
        let ids: Vec<Vec<u32>> = (0..batch.rows).map(|row| batch.token_ids(row)).collect();
        let texts: Vec<Text<'_>> = ids
            .iter()
            .enumerate()
            .map(|(row, ids)| Text { ids, type_0_count: batch.type_0_count(row) })
            .collect();
        let run = || self.inner.run(&texts, &outputs, self.pool.is_some(), control);
        let values = match &self.pool {
            Some(pool) => pool.install(run),
            None => run(),
        };
        let values = values.map_err(|error| match error {
            transformer::Error::Canceled(canceled) => Error::Canceled(canceled),
            error => Error::Run { path: self.path.clone(), message: error.to_string() },
        })?;
        Ok(values.into_iter().map(|values| padded(values, &texts, batch.length)).collect())
    }
}

/// Pads the rows of each text with zeros to `length` tokens, so that the tensor has the shape that ONNX Runtime
/// returns.
fn padded(values: Values, texts: &[Text<'_>], length: usize) -> Tensor {
    let Values { is_per_token, dim, data } = values;
    // A logit is one number, so logits have no last axis.
    let last_axis = (dim > 1).then_some(dim);
    if !is_per_token {
        return Tensor { shape: [texts.len()].into_iter().chain(last_axis).collect(), data };
    }
    let shape = [texts.len(), length].into_iter().chain(last_axis).collect();
    if texts.iter().all(|text| text.ids.len() == length) {
        return Tensor { shape, data };
    }
    let mut padded = Vec::with_capacity(texts.len() * length * dim);
    let mut start = 0;
    for text in texts {
        let end = start + text.ids.len() * dim;
        padded.extend_from_slice(&data[start..end]);
        padded.resize(padded.len() + (length - text.ids.len()) * dim, 0.0);
        start = end;
    }
    Tensor { shape, data: padded }
}
