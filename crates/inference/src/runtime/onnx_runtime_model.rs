//! A model that ONNX Runtime runs.

use std::borrow::Cow;
use std::path::PathBuf;

use ort::session::SessionInputValue;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::TensorRef;

use super::tensor::{Tensor, no_output};
use crate::{Batch, Error, Library};

/// An input that a model may have: `input_ids`, `attention_mask` or `token_type_ids`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Ids,
    Mask,
    Types,
}

/// A model that ONNX Runtime has loaded. It is created, used and dropped on the session's thread.
pub(super) struct OnnxRuntimeModel {
    path: PathBuf,
    inner: ort::session::Session,
    inputs: Vec<Input>,
    outputs: Vec<String>,
}

impl OnnxRuntimeModel {
    /// Loads the model and checks its inputs, as [`Session::open`](crate::Session::open) documents.
    pub(super) fn open(library: &Library, path: PathBuf, threads: usize) -> Result<Self, Error> {
        let refused = |error: &dyn std::fmt::Display| Error::model(&path, "an ONNX model", error.to_string());
        let inner = ort::session::Session::builder(&library.environment)
            .map_err(|error| refused(&error))?
            .with_optimization_level(GraphOptimizationLevel::All)
            .map_err(|error| refused(&error))?
            .with_intra_threads(threads.max(1))
            .map_err(|error| refused(&error))?
            // A spinning helper thread would take a core from the event loop.
            .with_intra_op_spinning(false)
            .map_err(|error| refused(&error))?
            .commit_from_file(&path)
            .map_err(|error| refused(&error))?;
        let mut inputs = Vec::new();
        for input in inner.inputs() {
            inputs.push(match input.name() {
                "input_ids" => Input::Ids,
                "attention_mask" => Input::Mask,
                "token_type_ids" => Input::Types,
                other => {
                    let expected = "only the inputs input_ids, attention_mask and token_type_ids";
                    return Err(Error::model(&path, expected, format!("an input \"{other}\"")));
                }
            });
        }
        let outputs = inner.outputs().iter().map(|output| output.name().to_owned()).collect();
        Ok(Self { path, inner, inputs, outputs })
    }

    /// Names of the outputs.
    pub(super) fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// Runs one batch, as [`Session::run`](crate::Session::run) documents.
    pub(super) fn run(&mut self, batch: &Batch, output_names: &[String]) -> Result<Vec<Tensor>, Error> {
        let path = &self.path;
        let fail = |error: ort::Error| Error::Run { path: path.clone(), message: error.to_string() };
        let mut values: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(3);
        for input in &self.inputs {
            let (name, data) = match input {
                Input::Ids => ("input_ids", &batch.ids),
                Input::Mask => ("attention_mask", &batch.mask),
                Input::Types => ("token_type_ids", &batch.types),
            };
            let tensor = TensorRef::from_array_view(([batch.rows, batch.length], data.as_slice()));
            values.push((name.into(), tensor.map_err(fail)?.into()));
        }
        let outputs = self.inner.run(values).map_err(fail)?;
        output_names
            .iter()
            .map(|name| {
                let expected = || format!("an f32 output \"{name}\"");
                let value = outputs.get(name).ok_or_else(|| no_output(path, name, &self.outputs))?;
                let (shape, data) = value
                    .try_extract_tensor::<f32>()
                    .map_err(|error| Error::model(path, expected(), error.to_string()))?;
                let shape = shape.iter().map(|&size| usize::try_from(size).unwrap_or(0)).collect();
                Ok(Tensor { shape, data: data.to_vec() })
            })
            .collect()
    }
}
