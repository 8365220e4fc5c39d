//! Linear functions, of floats or dynamically quantized.

use super::super::error::Unrecognized;
use super::super::graph::ValueId;
use super::super::node::Node;
use super::super::tensor::{Data, Tensor};
use super::Matcher;
use crate::weights::{Linear, Matrix};
use kernels::matrix::transpose;

/// The number of the type "float" in the attribute of `Cast`.
const FLOAT: i64 = 1;

impl Matcher<'_> {
    /// Matches a linear function, and returns its input.
    pub fn required_linear(&self, value: ValueId) -> Result<(Linear, ValueId), Unrecognized> {
        self.linear(value)?.ok_or_else(|| self.refuse(value, "a linear function with constant weights"))
    }

    /// Matches a linear function, and returns its input. Returns `None` if the value is no product with a constant
    /// matrix.
    ///
    /// # Errors
    ///
    /// If it is such a product, but of a kind that is not supported.
    pub fn linear(&self, value: ValueId) -> Result<Option<(Linear, ValueId)>, Unrecognized> {
        let value = self.rows(value);
        if let Some(node) = self.node(value, "Gemm") {
            return self.general_product(value, node).map(Some);
        }
        // Without a bias, the value itself is the product.
        let (product, bias) = match self.with_constant(value, "Add") {
            Some((product, bias)) => (self.rows(product), Some(bias)),
            None => (value, None),
        };
        let matched = match self.float_product(product) {
            None => self.quantized_product(product)?,
            matched => matched,
        };
        let Some((weights, inputs, outputs, input)) = matched else { return Ok(None) };
        let bias = match bias {
            Some(bias) => self
                .vector(bias, outputs)
                .ok_or_else(|| self.refuse(value, format!("a bias of {outputs} floats")))?,
            None => vec![0.0; outputs],
        };
        Ok(Some((Linear { inputs, outputs, weights, bias }, self.rows(input))))
    }

    /// Matches `MatMul` with a constant matrix. Returns the matrix, its numbers of rows and columns, and the input.
    fn float_product(&self, value: ValueId) -> Option<(Matrix, usize, usize, ValueId)> {
        let (input, weights) = self.operands(value, "MatMul")?;
        let weights = self.constant(weights)?;
        let &[inputs, outputs] = weights.shape.as_slice() else { return None };
        Some((Matrix::F32(weights.floats()?.to_vec()), inputs, outputs, input))
    }

    /// Matches `Gemm` with a constant matrix and bias.
    fn general_product(&self, value: ValueId, node: &Node) -> Result<(Linear, ValueId), Unrecognized> {
        let expected = "factors of 1, and a constant matrix and bias of floats";
        let matched = || {
            let has_factors = ["alpha", "beta"].iter().any(|name| node.float(name).unwrap_or(1.0) != 1.0);
            if has_factors || node.int("transA").unwrap_or(0) != 0 {
                return None;
            }
            let tensor = self.constant(node.input(1)?)?;
            let &[rows, columns] = tensor.shape.as_slice() else { return None };
            let values = tensor.floats()?;
            let (weights, inputs, outputs) = if node.int("transB").unwrap_or(0) == 0 {
                (values.to_vec(), rows, columns)
            } else {
                (transpose(values, rows, columns), columns, rows)
            };
            let bias = match node.input(2) {
                Some(bias) => self.vector(bias, outputs)?,
                None => vec![0.0; outputs],
            };
            let linear = Linear { inputs, outputs, weights: Matrix::F32(weights), bias };
            Some((linear, self.rows(node.input(0)?)))
        };
        matched().ok_or_else(|| self.refuse(value, expected))
    }

    /// Matches the product of an input that is quantized at run time (`DynamicQuantizeLinear`) with a constant matrix
    /// of bytes. Returns the matrix, its numbers of rows and columns, and the input.
    fn quantized_product(
        &self,
        value: ValueId,
    ) -> Result<Option<(Matrix, usize, usize, ValueId)>, Unrecognized> {
        let Some(product) = self.product(value, None) else { return Ok(None) };
        let Some((position, node)) = product.factors.iter().enumerate().find_map(|(position, &factor)| {
            let cast = self.node(factor, "Cast")?;
            let node = self.node(cast.input(0)?, "MatMulInteger")?;
            (cast.int("to") == Some(FLOAT)).then_some((position, node))
        }) else {
            return Ok(None);
        };
        let refuse = |expected: &str| self.refuse(product.factors[position], expected);
        let mut scales = product.factors.clone();
        scales.remove(position);
        let input = self
            .dynamically_quantized(node, &mut scales)
            .ok_or_else(|| refuse("an input and its scale from the same node DynamicQuantizeLinear"))?;
        let weights = node.input(1).and_then(|weights| self.constant(weights));
        let Some((tensor, &[inputs, outputs])) = weights.and_then(|tensor| {
            Some((tensor, tensor.shape.first_chunk::<2>().filter(|_| tensor.shape.len() == 2)?))
        }) else {
            return Err(refuse("a constant matrix"));
        };
        let zero_points = match node.input(3) {
            Some(zeros) => match self.constant(zeros) {
                Some(zeros) if zeros.len() == 1 || zeros.len() == outputs => integers(zeros),
                _ => None,
            },
            None => Some(vec![0]),
        };
        let zero_points = zero_points.ok_or_else(|| refuse("a constant zero point for each column"))?;
        let bytes = shifted(tensor, &zero_points, outputs).ok_or_else(|| {
            refuse("weights that fit into signed bytes after their zero point is subtracted")
        })?;
        let constant = product.constant as f32;
        let scales = match scales.as_slice() {
            [] => vec![constant; outputs],
            [scales] => {
                let scales = self
                    .vector(*scales, outputs)
                    .ok_or_else(|| refuse("a constant scale for each column"))?;
                scales.into_iter().map(|scale| scale * constant).collect()
            }
            _ => return Err(refuse("one scale of the input and one of the weights")),
        };
        Ok(Some((Matrix::I8 { bytes, scales }, inputs, outputs, input)))
    }

    /// Matches the first input and its zero point of `MatMulInteger`, and removes its scale from a list of factors.
    /// Returns the input before quantization.
    fn dynamically_quantized(&self, node: &Node, scales: &mut Vec<ValueId>) -> Option<ValueId> {
        let quantized = self.rows(node.input(0)?);
        let quantizer = self.node(quantized, "DynamicQuantizeLinear")?;
        let &[_, scale, zero] = quantizer.outputs.as_slice() else { return None };
        let position = scales.iter().position(|&factor| factor == scale)?;
        scales.remove(position);
        if node.input(2)? == zero { quantizer.input(0) } else { None }
    }
}

/// The bytes of a tensor as integers.
fn integers(tensor: &Tensor) -> Option<Vec<i16>> {
    match &tensor.data {
        Data::U8(values) => Some(values.iter().map(|&value| value.into()).collect()),
        Data::I8(values) => Some(values.iter().map(|&value| value.into()).collect()),
        _ => None,
    }
}

/// The bytes of a matrix minus the zero points of its columns, of which there is one for all or one for each. Returns
/// `None` if a difference does not fit into a signed byte.
fn shifted(tensor: &Tensor, zero_points: &[i16], columns: usize) -> Option<Vec<i8>> {
    if let Data::I8(values) = &tensor.data
        && zero_points.iter().all(|&zero| zero == 0)
    {
        return Some(values.clone());
    }
    let zero = |column: usize| if zero_points.len() == 1 { zero_points[0] } else { zero_points[column] };
    integers(tensor)?
        .into_iter()
        .enumerate()
        .map(|(i, value)| i8::try_from(value - zero(i % columns)).ok())
        .collect()
}
