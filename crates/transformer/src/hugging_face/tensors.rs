//! The tensors of a model, with the names and shapes of PyTorch: [`tensors`].

use kernels::matrix::transpose;
use std::borrow::Cow;

use super::architecture::{
    EMBEDDINGS_NORM, LayerNames, POSITIONS, RELATIVE_POSITION_BIASES, RELEVANCE_HEAD, SPAN_HEAD, TYPES, WORDS,
};
use super::requirements::Heads;
use super::{Architecture, Error};
use crate::weights::{Layer, Linear, Matrix, Norm, RelativePositionBiases, Table, TableValues, Weights};

/// A tensor of a model.
#[derive(Debug)]
pub(super) struct Tensor<'a> {
    /// The name.
    pub name: String,
    /// The sizes of the axes in the file.
    pub shape: Vec<usize>,
    /// The values, row-major. For a matrix, the transpose of what the file has.
    values: &'a [f32],
    is_matrix: bool,
}

impl Tensor<'_> {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The values in the order of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`] if a value is not finite.
    pub fn values(&self) -> Result<Cow<'_, [f32]>, Error> {
        if let Some(value) = self.values.iter().find(|value| !value.is_finite()) {
            return Err(Error::unwritable(&self.name, "finite numbers", value));
        }
        Ok(match *self.shape.as_slice() {
            [outputs, inputs] if self.is_matrix => Cow::Owned(transpose(self.values, inputs, outputs)),
            _ => Cow::Borrowed(self.values),
        })
    }
}

/// All tensors of a model. Its sizes must fit together.
///
/// The names have the prefix of the architecture if the model has heads, because `transformers` expects it then.
///
/// # Errors
///
/// [`Error::Unwritable`] if the weights are not floats.
pub(super) fn tensors<'a>(
    weights: &'a Weights,
    architecture: Architecture,
    heads: Heads<'a>,
) -> Result<Vec<Tensor<'a>>, Error> {
    let prefix = if matches!(heads, Heads::Reader { .. }) { architecture.prefix() } else { "" };
    let mut list = List(Vec::new());
    let embeddings = &weights.embeddings;
    list.table(format!("{prefix}{WORDS}"), &embeddings.words)?;
    list.table(format!("{prefix}{POSITIONS}"), &embeddings.positions)?;
    if let Some(types) = &embeddings.types {
        list.table(format!("{prefix}{TYPES}"), types)?;
    }
    list.norm(&format!("{prefix}{EMBEDDINGS_NORM}"), &embeddings.norm);
    if let Some(biases) = &weights.relative_position_biases {
        let shape = [RelativePositionBiases::BUCKETS, biases.heads];
        list.rows(format!("{prefix}{RELATIVE_POSITION_BIASES}"), shape, &biases.values);
    }
    for (number, layer) in weights.layers.iter().enumerate() {
        list.layer(prefix, number, layer, architecture.layer_names())?;
    }
    if let Heads::Reader { span, relevance } = heads {
        list.linear(SPAN_HEAD, span)?;
        if let Some(relevance) = relevance {
            list.linear(RELEVANCE_HEAD, relevance)?;
        }
    }
    Ok(list.0)
}

/// The tensors of a part of a model.
struct List<'a>(Vec<Tensor<'a>>);

impl<'a> List<'a> {
    fn layer(
        &mut self,
        prefix: &str,
        number: usize,
        layer: &'a Layer,
        names: &LayerNames,
    ) -> Result<(), Error> {
        let name = |module: &str| format!("{prefix}{}.{number}.{module}", names.layers);
        self.linear(&name(names.query), &layer.query)?;
        self.linear(&name(names.key), &layer.key)?;
        self.linear(&name(names.value), &layer.value)?;
        self.linear(&name(names.attention_output), &layer.attention_output)?;
        self.norm(&name(names.attention_norm), &layer.attention_norm);
        self.linear(&name(names.intermediate), &layer.intermediate)?;
        self.linear(&name(names.output), &layer.output)?;
        self.norm(&name(names.output_norm), &layer.output_norm);
        Ok(())
    }

    fn table(&mut self, name: String, table: &'a Table) -> Result<(), Error> {
        let TableValues::F32(values) = &table.values else { return Err(quantized(&name)) };
        self.rows(name, [table.rows, table.dim], values);
        Ok(())
    }

    fn rows(&mut self, name: String, shape: [usize; 2], values: &'a [f32]) {
        self.0.push(Tensor { name, shape: shape.into(), values, is_matrix: false });
    }

    fn linear(&mut self, module: &str, linear: &'a Linear) -> Result<(), Error> {
        let name = format!("{module}.weight");
        let Matrix::F32(values) = &linear.weights else { return Err(quantized(&name)) };
        self.0.push(Tensor { name, shape: vec![linear.outputs, linear.inputs], values, is_matrix: true });
        self.vector(format!("{module}.bias"), &linear.bias);
        Ok(())
    }

    fn norm(&mut self, module: &str, norm: &'a Norm) {
        self.vector(format!("{module}.weight"), &norm.weight);
        self.vector(format!("{module}.bias"), &norm.bias);
    }

    fn vector(&mut self, name: String, values: &'a [f32]) {
        self.0.push(Tensor { name, shape: vec![values.len()], values, is_matrix: false });
    }
}

fn quantized(name: &str) -> Error {
    Error::unwritable(name, "floats", "bytes of a quantized model")
}
