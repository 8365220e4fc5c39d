//! Linear layers, forward and backward.

use kernels::matrix::Matrix;

use super::gradients::add;
use crate::Backend;
use crate::parameters::LinearLayout;

/// Computes the outputs of a linear layer for rows of inputs: `[rows, outputs]`.
pub(crate) fn forward(
    backend: &dyn Backend,
    at: &LinearLayout,
    parameters: &[f32],
    inputs: &[f32],
    outputs: &mut [f32],
) {
    let (weight, bias) = (&parameters[at.weight.clone()], &parameters[at.bias.clone()]);
    outputs.chunks_exact_mut(at.outputs).for_each(|row| row.copy_from_slice(bias));
    let rows = outputs.len() / at.outputs;
    let inputs = Matrix::new(inputs, rows, at.inputs);
    backend.multiply(inputs, Matrix::new(weight, at.inputs, at.outputs), outputs, true);
}

/// Adds the gradients of a linear layer's weights and biases to `gradients`.
pub(crate) fn backward_parameters(
    backend: &dyn Backend,
    at: &LinearLayout,
    inputs: &[f32],
    output_gradients: &[f32],
    gradients: &mut [f32],
) {
    let rows = output_gradients.len() / at.outputs;
    let outputs = Matrix::new(output_gradients, rows, at.outputs);
    let inputs = Matrix::new(inputs, rows, at.inputs);
    backend.multiply(inputs.transposed(), outputs, &mut gradients[at.weight.clone()], true);
    let bias = &mut gradients[at.bias.clone()];
    output_gradients.chunks_exact(at.outputs).for_each(|row| add(bias, row));
}

/// Computes the gradients of a linear layer's inputs, or adds them to `input_gradients`.
pub(crate) fn backward_inputs(
    backend: &dyn Backend,
    at: &LinearLayout,
    parameters: &[f32],
    output_gradients: &[f32],
    input_gradients: &mut [f32],
    adds: bool,
) {
    let rows = output_gradients.len() / at.outputs;
    let weight = Matrix::new(&parameters[at.weight.clone()], at.inputs, at.outputs);
    let outputs = Matrix::new(output_gradients, rows, at.outputs);
    backend.multiply(outputs, weight.transposed(), input_gradients, adds);
}
