//! Operators on activations, of whose results only the shapes are inferred.

use super::call::{Call, Outcome};
use super::strides::broadcast_shape;

/// The shape of the only output that is needed.
pub(super) fn infer(call: &Call) -> Option<Outcome> {
    let shape = match call.node.op.as_str() {
        "LayerNormalization" | "Softmax" | "Erf" | "Tanh" | "Relu" | "Gelu" | "Sigmoid" | "IsNaN"
        | "DequantizeLinear" | "QuantizeLinear" => call.shape(0)?.to_vec(),
        "MatMul" | "MatMulInteger" => matrix_product(call.shape(0)?, call.shape(1)?)?,
        "Gemm" => general_matrix_product(call)?,
        _ => return None,
    };
    Some(Outcome::Shape(shape))
}

/// `DynamicQuantizeLinear`: the quantized values, their scale and their zero point.
pub(super) fn dynamic_quantize(call: &Call) -> Option<Vec<Outcome>> {
    let shape = call.shape(0)?.to_vec();
    Some(vec![Outcome::Shape(shape), Outcome::Shape(Vec::new()), Outcome::Shape(Vec::new())])
}

/// The shape of the product of matrices. All axes but the last two are broadcast.
fn matrix_product(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let ([a_outer @ .., rows, inner], [b_outer @ .., b_inner, columns]) = (a, b) else { return None };
    if inner != b_inner {
        return None;
    }
    let mut shape = broadcast_shape(a_outer, b_outer)?;
    shape.extend([*rows, *columns]);
    Some(shape)
}

/// The shape of `Gemm`, a product of two matrices that may be transposed.
fn general_matrix_product(call: &Call) -> Option<Vec<usize>> {
    let matrix = |index: usize, flag: &str| match *call.shape(index)? {
        [a, b] if call.node.int(flag).unwrap_or(0) != 0 => Some([b, a]),
        [a, b] => Some([a, b]),
        _ => None,
    };
    matrix_product(&matrix(0, "transA")?, &matrix(1, "transB")?)
}
