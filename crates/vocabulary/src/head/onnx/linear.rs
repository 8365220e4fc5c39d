//! Finds linear layers, y = W x + c, in an ONNX graph: MatMul followed by Add, Gemm, or their quantized 8-bit forms.
//!
//! ONNX Runtime's dynamic quantization rounds x to 8 bits too. This rounding is not part of the head, so the value
//! before it is the layer's input, and only the weights are dequantized.

use super::graph::Node;
use super::matcher::Matcher;
use crate::Error;
use kernels::matrix::transpose;

/// A linear layer in a graph.
#[derive(Debug)]
pub(super) struct Linear<'a> {
    /// Name of the node that multiplies by the weights.
    pub name: &'a str,
    pub input_dim: usize,
    pub output_dim: usize,
    /// W, `[output_dim, input_dim]`.
    pub weight: Vec<f32>,
    /// c, `[output_dim]`.
    pub bias: Vec<f32>,
    /// The value x.
    pub input: &'a str,
}

/// The product of an input and constant weights.
struct Product<'a> {
    node: &'a Node,
    weight: Matrix,
    input: &'a str,
    /// A bias that the same node adds, after multiplying it by `bias_factor`.
    bias: Option<&'a str>,
    bias_factor: f32,
}

/// W, `[outputs, inputs]`; or Wᵀ, `[inputs, outputs]`, if `is_transposed`.
struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
    is_transposed: bool,
}

impl<'a> Linear<'a> {
    /// Matches the layer that computes a value. `bias` is a bias that a later node adds, such as a BiasGelu node.
    /// `what` names the layer in error messages.
    pub fn match_output(
        matcher: &mut Matcher<'a>,
        value: &'a str,
        bias: Option<&'a str>,
        what: &str,
    ) -> Result<Self, Error> {
        let expected = format!("{what}, MatMul with Add, Gemm or MatMulInteger with constant weights");
        let mut added_biases: Vec<&str> = bias.into_iter().collect();
        let mut value = matcher.skip_identity(value)?;
        let node = matcher.require_producer(value, &expected)?;
        if let ("Add", Some(left), Some(right)) = (node.op.as_str(), node.input(0), node.input(1)) {
            let (bias, product) = if matcher.is_constant(left)? { (left, right) } else { (right, left) };
            if !matcher.is_constant(bias)? {
                return Err(matcher.unexpected(expected, node));
            }
            added_biases.push(bias);
            value = product;
        }
        let Product { node, weight, input, bias, bias_factor } = match_product(matcher, value, &expected)?;
        let Matrix { rows, columns, values, is_transposed } = weight;
        let (output_dim, input_dim) = if is_transposed { (columns, rows) } else { (rows, columns) };
        let weight = if is_transposed { transpose(&values, rows, columns) } else { values };
        let mut bias_sum = vec![0.0; output_dim];
        let own_bias = bias.map(|bias| (bias, bias_factor));
        let biases = own_bias.into_iter().chain(added_biases.into_iter().map(|bias| (bias, 1.0)));
        for (bias, factor) in biases {
            let values = matcher.constant(bias)?.values;
            if values.len() != output_dim && values.len() != 1 {
                let expected = format!("1 or {output_dim} biases at node \"{}\"", node.name);
                return Err(matcher.error(expected, format!("{}", values.len())));
            }
            for (sum, value) in bias_sum.iter_mut().zip(values.iter().cycle()) {
                *sum += value * factor;
            }
        }
        Ok(Self { name: &node.name, input_dim, output_dim, weight, bias: bias_sum, input })
    }
}

/// Whether a value is a product of integer matrices that has not been multiplied by the matrices' scales yet.
pub(super) fn is_integer_product<'a>(matcher: &mut Matcher<'a>, value: &'a str) -> Result<bool, Error> {
    let value = matcher.skip_identity(value)?;
    let is_product = |node: &Node| node.op == "MatMulInteger";
    Ok(!matcher.is_constant(value)? && matcher.producer(value)?.is_some_and(is_product))
}

/// Matches the product of an input and constant weights that computes a value.
fn match_product<'a>(
    matcher: &mut Matcher<'a>,
    value: &'a str,
    expected: &str,
) -> Result<Product<'a>, Error> {
    let value = matcher.skip_identity(value)?;
    let node = matcher.require_producer(value, expected)?;
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else {
        return Err(matcher.unexpected(expected, node));
    };
    let flag = |name: &str| node.integer(name, 0) != 0;
    let without_bias = |weight: Matrix| Product { node, weight, input: left, bias: None, bias_factor: 1.0 };
    match node.op.as_str() {
        "MatMul" => Ok(without_bias(constant_matrix(matcher, node, right, true)?)),
        "FusedMatMul" if !flag("transA") && !flag("transBatchA") && !flag("transBatchB") => {
            let mut weight = constant_matrix(matcher, node, right, !flag("transB"))?;
            weight.multiply(node.float("alpha", 1.0));
            Ok(without_bias(weight))
        }
        "Gemm" if !flag("transA") => {
            let mut weight = constant_matrix(matcher, node, right, !flag("transB"))?;
            weight.multiply(node.float("alpha", 1.0));
            Ok(Product { bias: node.input(2), bias_factor: node.float("beta", 1.0), ..without_bias(weight) })
        }
        "Mul" => match_scaled_product(matcher, value, expected),
        "DynamicQuantizeMatMul" => {
            let weight = integer_matrix(matcher, node, right, node.input(3))?;
            let Some(scale) = node.input(2) else { return Err(matcher.unexpected(expected, node)) };
            let weight = weight.scaled(matcher, node, scale)?;
            Ok(Product { bias: node.input(4), ..without_bias(weight) })
        }
        "MatMulIntegerToFloat" => {
            let weight = integer_matrix(matcher, node, right, node.input(5))?;
            let (Some(input_scale), Some(scale)) = (node.input(2), node.input(3)) else {
                return Err(matcher.unexpected(expected, node));
            };
            let quantize = require_quantize(matcher, left, expected)?;
            if quantize.outputs.get(1).map(String::as_str) != Some(input_scale) {
                return Err(matcher.unexpected(expected, quantize));
            }
            let Some(input) = quantize.input(0) else {
                return Err(matcher.unexpected(expected, quantize));
            };
            let weight = weight.scaled(matcher, node, scale)?;
            Ok(Product { bias: node.input(6), input, ..without_bias(weight) })
        }
        _ => Err(matcher.unexpected(expected, node)),
    }
}

/// Matches a product of integer matrices that is multiplied by the scales of the input and of the weights, in any
/// order.
fn match_scaled_product<'a>(
    matcher: &mut Matcher<'a>,
    value: &'a str,
    expected: &str,
) -> Result<Product<'a>, Error> {
    let (mut factors, mut weight_scales) = (vec![value], Vec::new());
    let (mut integer_product, mut input_scale) = (None, None);
    while let Some(factor) = factors.pop() {
        if matcher.is_constant(factor)? {
            weight_scales.push(factor);
            continue;
        }
        let factor = matcher.skip_identity(factor)?;
        let node = matcher.require_producer(factor, expected)?;
        match node.op.as_str() {
            "Mul" => factors.extend(node.inputs.iter().map(String::as_str)),
            "MatMulInteger" if integer_product.is_none() => integer_product = Some(node),
            "DynamicQuantizeLinear" if input_scale.is_none() => input_scale = Some((node, factor)),
            _ => return Err(matcher.unexpected(expected, node)),
        }
    }
    let last = matcher.require_producer(value, expected)?;
    let Some(node) = integer_product else { return Err(matcher.unexpected(expected, last)) };
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else {
        return Err(matcher.unexpected(expected, node));
    };
    let quantize = require_quantize(matcher, left, expected)?;
    let scale = quantize.outputs.get(1).map(String::as_str);
    let is_own_scale =
        input_scale.is_some_and(|(found, value)| std::ptr::eq(found, quantize) && scale == Some(value));
    if !is_own_scale {
        return Err(matcher.unexpected(expected, last));
    }
    let mut weight = integer_matrix(matcher, node, right, node.input(3))?;
    for scale in weight_scales {
        weight = weight.scaled(matcher, node, scale)?;
    }
    let Some(input) = quantize.input(0) else { return Err(matcher.unexpected(expected, quantize)) };
    Ok(Product { node, weight, input, bias: None, bias_factor: 1.0 })
}

/// Returns the DynamicQuantizeLinear node that produces a value.
fn require_quantize<'a>(
    matcher: &mut Matcher<'a>,
    value: &'a str,
    expected: &str,
) -> Result<&'a Node, Error> {
    let node = matcher.require_producer(value, expected)?;
    if node.op == "DynamicQuantizeLinear" { Ok(node) } else { Err(matcher.unexpected(expected, node)) }
}

/// Returns constant weights. `is_transposed` says whether `value` is Wᵀ. Transpose nodes are not applied to the values;
/// each one flips `is_transposed`.
fn constant_matrix<'a>(
    matcher: &mut Matcher<'a>,
    node: &'a Node,
    value: &'a str,
    mut is_transposed: bool,
) -> Result<Matrix, Error> {
    let mut value = value;
    while let Some(input) = matcher.transposed_input(value)? {
        (value, is_transposed) = (input, !is_transposed);
    }
    let mut tensor = matcher.constant(value)?;
    while tensor.shape.len() > 2 && tensor.shape[0] == 1 {
        tensor.shape.remove(0);
    }
    let &[rows, columns] = &tensor.shape[..] else {
        let expected = format!("a matrix of weights at node \"{}\"", node.name);
        return Err(matcher.error(expected, format!("shape {:?}", tensor.shape)));
    };
    Ok(Matrix { rows, columns, values: tensor.values, is_transposed })
}

/// Returns constant 8-bit weights `[inputs, outputs]` minus their zero points, but not multiplied by their scales.
fn integer_matrix<'a>(
    matcher: &mut Matcher<'a>,
    node: &'a Node,
    value: &'a str,
    zero_point: Option<&'a str>,
) -> Result<Matrix, Error> {
    let mut matrix = constant_matrix(matcher, node, value, true)?;
    if let Some(zero_point) = zero_point {
        let zero_points = matcher.constant(zero_point)?.values;
        matrix.combine(matcher, node, &zero_points, |weight, zero_point| weight - zero_point)?;
    }
    Ok(matrix)
}

impl Matrix {
    /// Multiplies all weights by a number.
    fn multiply(&mut self, factor: f32) {
        if factor != 1.0 {
            self.values.iter_mut().for_each(|value| *value *= factor);
        }
    }

    /// Multiplies the weights by constant scales, one for all weights or one per output.
    fn scaled<'a>(
        mut self,
        matcher: &mut Matcher<'a>,
        node: &'a Node,
        scale: &'a str,
    ) -> Result<Self, Error> {
        let scales = matcher.constant(scale)?.values;
        self.combine(matcher, node, &scales, |weight, scale| weight * scale)?;
        Ok(self)
    }

    /// Replaces each weight by `operation(weight, parameter)`, with one parameter for all weights or one per output.
    fn combine(
        &mut self,
        matcher: &Matcher<'_>,
        node: &Node,
        parameters: &[f32],
        operation: impl Fn(f32, f32) -> f32,
    ) -> Result<(), Error> {
        let output_dim = if self.is_transposed { self.columns } else { self.rows };
        if parameters.len() != 1 && parameters.len() != output_dim {
            let expected = format!("1 or {output_dim} scales or zero points at node \"{}\"", node.name);
            return Err(matcher.error(expected, parameters.len().to_string()));
        }
        let columns = self.columns.max(1);
        for (at, weight) in self.values.iter_mut().enumerate() {
            let output = if self.is_transposed { at % columns } else { at / columns };
            *weight = operation(*weight, parameters[output.min(parameters.len() - 1)]);
        }
        Ok(())
    }
}
