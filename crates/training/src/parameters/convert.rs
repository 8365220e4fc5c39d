//! Converts the [`Weights`] of a model to [`Parameters`], and back.

use transformer::hugging_face::{END_OUTPUT, HIDDEN_STATES_OUTPUT, RELEVANCE_OUTPUT, START_OUTPUT};
use transformer::weights::{
    Embeddings, Head, Layer, Linear, Matrix, Norm, Output, RelativePositionBiases, Table, TableValues,
    Weights,
};

use super::{LayerLayout, Layout, LinearLayout, NormLayout, Parameters, Shape};
use crate::Error;

impl Shape {
    /// Returns the sizes of a model that can be trained.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if layers have different shapes; [`Error::Weights`] if the weights do not fit together.
    pub fn of(weights: &Weights) -> Result<Self, Error> {
        weights.check()?;
        let layer = &weights.layers[0];
        let embeddings = &weights.embeddings;
        let dim = embeddings.words.dim;
        let shape = Self {
            words: embeddings.words.rows,
            positions: embeddings.positions.rows,
            first_position: embeddings.first_position,
            types: embeddings.types.as_ref().map_or(0, |types| types.rows),
            has_type_input: embeddings.has_type_input,
            has_relative_position_biases: weights.relative_position_biases.is_some(),
            dim,
            heads: layer.heads,
            intermediate: layer.intermediate.outputs,
            layers: weights.layers.len(),
            epsilon: layer.output_norm.epsilon,
            is_reader: weights.outputs.iter().any(|output| output.name == RELEVANCE_OUTPUT),
        };
        if embeddings.norm.epsilon != shape.epsilon {
            let expected = format!("the epsilon {:e} in all layer norms", shape.epsilon);
            return Err(unfit("embeddings", &expected, embeddings.norm.epsilon));
        }
        for layer in &weights.layers {
            let linears = [
                ("queries", &layer.query, dim, dim),
                ("keys", &layer.key, dim, dim),
                ("values", &layer.value, dim, dim),
                ("the output of the attention", &layer.attention_output, dim, dim),
                (
                    "the hidden layer of the feed-forward network",
                    &layer.intermediate,
                    dim,
                    shape.intermediate,
                ),
                ("the output of the feed-forward network", &layer.output, shape.intermediate, dim),
            ];
            for (what, linear, inputs, outputs) in linears {
                if (linear.inputs, linear.outputs) != (inputs, outputs) {
                    let got = format!("{} by {}", linear.inputs, linear.outputs);
                    return Err(unfit(what, &format!("{inputs} by {outputs}"), got));
                }
            }
            let norms = [&layer.attention_norm, &layer.output_norm];
            if let Some(norm) = norms.into_iter().find(|norm| norm.epsilon != shape.epsilon) {
                let expected = format!("the epsilon {:e} in all layer norms", shape.epsilon);
                return Err(unfit("layers", &expected, norm.epsilon));
            }
            if layer.heads != shape.heads {
                return Err(unfit("attention heads", &format!("{} in all layers", shape.heads), layer.heads));
            }
            if (layer.scale / shape.attention_scale() - 1.0).abs() > 1e-5 {
                let expected = format!("the scale {} of attention", shape.attention_scale());
                return Err(unfit("layers", &expected, layer.scale));
            }
        }
        Ok(shape)
    }
}

impl Parameters {
    /// Copies the weights of a model of a shape. If the shape is that of a reader, and the model has no such outputs,
    /// their parameters are 0.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model is quantized.
    pub fn of(weights: &Weights, shape: &Shape) -> Result<Self, Error> {
        let layout = Layout::new(shape);
        let mut others = vec![0.0; layout.len];
        let embeddings = &weights.embeddings;
        others[layout.positions.clone()].copy_from_slice(table(&embeddings.positions)?);
        if let Some(types) = &embeddings.types {
            others[layout.types.clone()].copy_from_slice(table(types)?);
        }
        if let Some(biases) = &weights.relative_position_biases {
            others[layout.relative_position_biases.clone()].copy_from_slice(&biases.values);
        }
        set_norm(&mut others, &layout.norm, &embeddings.norm);
        for (layer, at) in weights.layers.iter().zip(&layout.layers) {
            for (n, part) in [&layer.query, &layer.key, &layer.value].into_iter().enumerate() {
                set_columns(&mut others, &at.projections, n * shape.dim, part)?;
            }
            set_columns(&mut others, &at.attention_output, 0, &layer.attention_output)?;
            set_norm(&mut others, &at.attention_norm, &layer.attention_norm);
            set_columns(&mut others, &at.intermediate, 0, &layer.intermediate)?;
            set_columns(&mut others, &at.output, 0, &layer.output)?;
            set_norm(&mut others, &at.output_norm, &layer.output_norm);
        }
        for output in &weights.outputs {
            let (at, first) = match output.name.as_str() {
                START_OUTPUT => (&layout.spans, 0),
                END_OUTPUT => (&layout.spans, 1),
                RELEVANCE_OUTPUT => (&layout.relevance, 0),
                _ => continue,
            };
            if let Head::TokenLogits { linear, column } | Head::FirstTokenLogits { linear, column } =
                &output.head
                && shape.is_reader
            {
                set_columns(&mut others, at, first, &column_of(linear, *column)?)?;
            }
        }
        Ok(Self { words: table(&embeddings.words)?.to_vec(), others })
    }

    /// Returns the weights of a model with these parameters.
    #[must_use]
    pub fn to_weights(&self, shape: &Shape) -> Weights {
        let layout = Layout::new(shape);
        let values = &self.others;
        let to_table =
            |rows, values: &[f32]| Table { rows, dim: shape.dim, values: TableValues::F32(values.to_vec()) };
        let to_norm = |at: &NormLayout| Norm {
            weight: values[at.weight.clone()].to_vec(),
            bias: values[at.bias.clone()].to_vec(),
            epsilon: shape.epsilon,
        };
        let embeddings = Embeddings {
            words: to_table(shape.words, &self.words),
            positions: to_table(shape.positions, &values[layout.positions.clone()]),
            first_position: shape.first_position,
            types: (shape.types > 0).then(|| to_table(shape.types, &values[layout.types.clone()])),
            has_type_input: shape.has_type_input,
            norm: to_norm(&layout.norm),
        };
        let to_layer = |at: &LayerLayout| {
            let [query, key, value] =
                [0, 1, 2].map(|part| columns(values, &at.projections, part * shape.dim, shape.dim));
            Layer {
                query,
                key,
                value,
                heads: shape.heads,
                scale: shape.attention_scale(),
                attention_output: columns(values, &at.attention_output, 0, shape.dim),
                attention_norm: to_norm(&at.attention_norm),
                intermediate: columns(values, &at.intermediate, 0, shape.intermediate),
                output: columns(values, &at.output, 0, shape.dim),
                output_norm: to_norm(&at.output_norm),
            }
        };
        let outputs = if shape.is_reader {
            let spans = columns(values, &layout.spans, 0, 2);
            let relevance = columns(values, &layout.relevance, 0, 1);
            vec![
                output(START_OUTPUT, Head::TokenLogits { linear: spans.clone(), column: 0 }),
                output(END_OUTPUT, Head::TokenLogits { linear: spans, column: 1 }),
                output(RELEVANCE_OUTPUT, Head::FirstTokenLogits { linear: relevance, column: 0 }),
            ]
        } else {
            vec![output(HIDDEN_STATES_OUTPUT, Head::HiddenStates)]
        };
        let relative_position_biases = shape.has_relative_position_biases.then(|| RelativePositionBiases {
            heads: shape.heads,
            values: values[layout.relative_position_biases.clone()].to_vec(),
        });
        let layers = layout.layers.iter().map(to_layer).collect();
        Weights { embeddings, relative_position_biases, layers, outputs }
    }
}

fn unfit(what: &'static str, expected: &str, got: impl ToString) -> Error {
    Error::Model { what, expected: expected.to_owned(), got: got.to_string() }
}

fn output(name: &str, head: Head) -> Output {
    Output { name: name.to_owned(), head }
}

/// The values of a table that is not quantized.
fn table(table: &Table) -> Result<&[f32], Error> {
    match &table.values {
        TableValues::F32(values) => Ok(values),
        TableValues::U8 { .. } => Err(unfit("embeddings", "floats", "bytes: the model is quantized")),
    }
}

fn set_norm(values: &mut [f32], at: &NormLayout, norm: &Norm) {
    values[at.weight.clone()].copy_from_slice(&norm.weight);
    values[at.bias.clone()].copy_from_slice(&norm.bias);
}

/// Sets all columns of a linear layer, or as many as `linear` has, from `first` on.
fn set_columns(values: &mut [f32], at: &LinearLayout, first: usize, linear: &Linear) -> Result<(), Error> {
    let Matrix::F32(matrix) = &linear.weights else {
        return Err(unfit("weights", "floats", "bytes: the model is quantized"));
    };
    let rows = values[at.weight.clone()].chunks_exact_mut(at.outputs);
    for (row, from) in rows.zip(matrix.chunks_exact(linear.outputs)) {
        row[first..first + linear.outputs].copy_from_slice(from);
    }
    values[at.bias.clone()][first..first + linear.outputs].copy_from_slice(&linear.bias);
    Ok(())
}

/// Copies some columns of a linear layer.
fn columns(values: &[f32], at: &LinearLayout, first: usize, count: usize) -> Linear {
    let rows = values[at.weight.clone()].chunks_exact(at.outputs);
    Linear {
        inputs: at.inputs,
        outputs: count,
        weights: Matrix::F32(rows.flat_map(|row| &row[first..first + count]).copied().collect()),
        bias: values[at.bias.clone()][first..first + count].to_vec(),
    }
}

/// Copies a column of a linear layer.
fn column_of(linear: &Linear, column: usize) -> Result<Linear, Error> {
    let Matrix::F32(matrix) = &linear.weights else {
        return Err(unfit("weights", "floats", "bytes: the model is quantized"));
    };
    Ok(Linear {
        inputs: linear.inputs,
        outputs: 1,
        weights: Matrix::F32(matrix.iter().skip(column).step_by(linear.outputs).copied().collect()),
        bias: vec![linear.bias[column]],
    })
}
