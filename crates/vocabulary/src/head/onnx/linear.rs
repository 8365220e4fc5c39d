//! Linear layers: y = W x + c, as MatMul with Add, as Gemm, or with weights of 8 bits.

use super::graph::Node;
use super::matcher::{Matcher, transposed};
use crate::Error;

/// A linear layer of a graph.
#[derive(Debug)]
pub(super) struct Linear<'a> {
    pub name: &'a str,
    pub inputs: usize,
    pub outputs: usize,
    /// W, `[outputs, inputs]`.
    pub weight: Vec<f32>,
    /// c, `[outputs]`.
    pub bias: Vec<f32>,
    /// x.
    pub input: &'a str,
}

/// A product by weights, before it is known whether there is a bias.
struct Product<'a> {
    node: &'a Node,
    weight: Matrix,
    input: &'a str,
    bias: Option<&'a str>,
    bias_factor: f32,
}

/// W with a row for each output, or for each input where it is `turned`.
struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
    turned: bool,
}

impl<'a> Linear<'a> {
    /// The layer that makes a value; `what` says which one it would be. `bias` is one that is added by another node.
    pub fn find(
        matcher: &mut Matcher<'a>,
        value: &'a str,
        bias: Option<&'a str>,
        what: &str,
    ) -> Result<Self, Error> {
        let expected = format!("{what}, MatMul with Add, Gemm or MatMulInteger by constant weights");
        let mut added: Vec<&str> = bias.into_iter().collect();
        let mut value = matcher.same(value)?;
        let node = matcher.node(value, &expected)?;
        if let ("Add", Some(left), Some(right)) = (node.op.as_str(), node.input(0), node.input(1)) {
            let (bias, product) = if matcher.is_constant(left)? { (left, right) } else { (right, left) };
            if !matcher.is_constant(bias)? {
                return Err(matcher.refuse(expected, node));
            }
            added.push(bias);
            value = product;
        }
        let Product { node, weight, input, bias, bias_factor } = product(matcher, value, &expected)?;
        let Matrix { rows, columns, values, turned } = weight;
        let (outputs, inputs) = if turned { (columns, rows) } else { (rows, columns) };
        let weight = if turned { transposed(&values, rows, columns) } else { values };
        let mut sum = vec![0.0; outputs];
        let own = bias.map(|bias| (bias, bias_factor));
        for (bias, factor) in own.into_iter().chain(added.into_iter().map(|bias| (bias, 1.0))) {
            let values = matcher.constant(bias)?.values;
            if values.len() != outputs && values.len() != 1 {
                let expected = format!("{outputs} numbers of bias at node \"{}\"", node.name);
                return Err(matcher.error(expected, format!("{}", values.len())));
            }
            for (sum, value) in sum.iter_mut().zip(values.iter().cycle()) {
                *sum += value * factor;
            }
        }
        Ok(Self { name: &node.name, inputs, outputs, weight, bias: sum, input })
    }
}

/// Whether a value is, but for scales, the product of whole numbers.
pub(super) fn is_whole_product<'a>(matcher: &mut Matcher<'a>, value: &'a str) -> Result<bool, Error> {
    let value = matcher.same(value)?;
    Ok(!matcher.is_constant(value)? && matcher.find(value)?.is_some_and(|node| node.op == "MatMulInteger"))
}

fn product<'a>(matcher: &mut Matcher<'a>, value: &'a str, expected: &str) -> Result<Product<'a>, Error> {
    let value = matcher.same(value)?;
    let node = matcher.node(value, expected)?;
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else {
        return Err(matcher.refuse(expected, node));
    };
    let flag = |name: &str| node.integer(name, 0) != 0;
    let plain = |weight: Matrix| Product { node, weight, input: left, bias: None, bias_factor: 1.0 };
    match node.op.as_str() {
        "MatMul" => Ok(plain(matrix(matcher, node, right, true)?)),
        "FusedMatMul" if !flag("transA") && !flag("transBatchA") && !flag("transBatchB") => {
            let mut weight = matrix(matcher, node, right, !flag("transB"))?;
            weight.scale(node.float("alpha", 1.0));
            Ok(plain(weight))
        }
        "Gemm" if !flag("transA") => {
            let mut weight = matrix(matcher, node, right, !flag("transB"))?;
            weight.scale(node.float("alpha", 1.0));
            Ok(Product { bias: node.input(2), bias_factor: node.float("beta", 1.0), ..plain(weight) })
        }
        "Mul" => scaled_product(matcher, value, expected),
        "DynamicQuantizeMatMul" => {
            let weight = whole_matrix(matcher, node, right, node.input(3))?;
            let Some(scale) = node.input(2) else { return Err(matcher.refuse(expected, node)) };
            let weight = weight.by(matcher, node, scale)?;
            Ok(Product { bias: node.input(4), ..plain(weight) })
        }
        "MatMulIntegerToFloat" => {
            let weight = whole_matrix(matcher, node, right, node.input(5))?;
            let (Some(of_input), Some(scale)) = (node.input(2), node.input(3)) else {
                return Err(matcher.refuse(expected, node));
            };
            let input = quantized(matcher, left, expected)?;
            if input.outputs.get(1).map(String::as_str) != Some(of_input) {
                return Err(matcher.refuse(expected, input));
            }
            let Some(before) = input.input(0) else { return Err(matcher.refuse(expected, input)) };
            let weight = weight.by(matcher, node, scale)?;
            Ok(Product { bias: node.input(6), input: before, ..plain(weight) })
        }
        _ => Err(matcher.refuse(expected, node)),
    }
}

/// A product of whole numbers times the scales of both sides, in whatever order.
fn scaled_product<'a>(
    matcher: &mut Matcher<'a>,
    value: &'a str,
    expected: &str,
) -> Result<Product<'a>, Error> {
    let (mut factors, mut scales) = (vec![value], Vec::new());
    let (mut whole, mut of_input) = (None, None);
    while let Some(factor) = factors.pop() {
        if matcher.is_constant(factor)? {
            scales.push(factor);
            continue;
        }
        let factor = matcher.same(factor)?;
        let node = matcher.node(factor, expected)?;
        match node.op.as_str() {
            "Mul" => factors.extend(node.inputs.iter().map(String::as_str)),
            "MatMulInteger" if whole.is_none() => whole = Some(node),
            "DynamicQuantizeLinear" if of_input.is_none() => of_input = Some((node, factor)),
            _ => return Err(matcher.refuse(expected, node)),
        }
    }
    let last = matcher.node(value, expected)?;
    let Some(node) = whole else { return Err(matcher.refuse(expected, last)) };
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else {
        return Err(matcher.refuse(expected, node));
    };
    let input = quantized(matcher, left, expected)?;
    let scale = input.outputs.get(1).map(String::as_str);
    if !of_input.is_some_and(|(found, scale_of)| std::ptr::eq(found, input) && scale == Some(scale_of)) {
        return Err(matcher.refuse(expected, last));
    }
    let mut weight = whole_matrix(matcher, node, right, node.input(3))?;
    for scale in scales {
        weight = weight.by(matcher, node, scale)?;
    }
    let Some(before) = input.input(0) else { return Err(matcher.refuse(expected, input)) };
    Ok(Product { node, weight, input: before, bias: None, bias_factor: 1.0 })
}

/// The DynamicQuantizeLinear that makes a value: the rounding of activations is no part of a head.
fn quantized<'a>(matcher: &mut Matcher<'a>, value: &'a str, expected: &str) -> Result<&'a Node, Error> {
    let node = matcher.node(value, expected)?;
    if node.op == "DynamicQuantizeLinear" { Ok(node) } else { Err(matcher.refuse(expected, node)) }
}

/// Constant weights. Where they are a transposed matrix, that one, turned, is not turned twice.
fn matrix<'a>(
    matcher: &mut Matcher<'a>,
    node: &'a Node,
    value: &'a str,
    mut turned: bool,
) -> Result<Matrix, Error> {
    let mut value = value;
    while let Some(before) = matcher.turned(value)? {
        (value, turned) = (before, !turned);
    }
    let mut tensor = matcher.constant(value)?;
    while tensor.shape.len() > 2 && tensor.shape[0] == 1 {
        tensor.shape.remove(0);
    }
    let &[rows, columns] = &tensor.shape[..] else {
        let expected = format!("a matrix of weights at node \"{}\"", node.name);
        return Err(matcher.error(expected, format!("shape {:?}", tensor.shape)));
    };
    Ok(Matrix { rows, columns, values: tensor.values, turned })
}

/// Weights `[inputs, outputs]` of 8 bits, less their zero points.
fn whole_matrix<'a>(
    matcher: &mut Matcher<'a>,
    node: &'a Node,
    value: &'a str,
    zero: Option<&'a str>,
) -> Result<Matrix, Error> {
    let mut matrix = matrix(matcher, node, value, true)?;
    if let Some(zero) = zero {
        let zero = matcher.constant(zero)?.values;
        matrix.each(matcher, node, &zero, |number, zero| number - zero)?;
    }
    Ok(matrix)
}

impl Matrix {
    fn scale(&mut self, factor: f32) {
        if factor != 1.0 {
            self.values.iter_mut().for_each(|value| *value *= factor);
        }
    }

    /// Times the scale of all, or of each output.
    fn by<'a>(mut self, matcher: &mut Matcher<'a>, node: &'a Node, scale: &'a str) -> Result<Self, Error> {
        let scale = matcher.constant(scale)?.values;
        self.each(matcher, node, &scale, |number, scale| number * scale)?;
        Ok(self)
    }

    fn each(
        &mut self,
        matcher: &Matcher<'_>,
        node: &Node,
        others: &[f32],
        work: impl Fn(f32, f32) -> f32,
    ) -> Result<(), Error> {
        let outputs = if self.turned { self.columns } else { self.rows };
        if others.len() != 1 && others.len() != outputs {
            let expected = format!("1 or {outputs} scales and zero points at node \"{}\"", node.name);
            return Err(matcher.error(expected, others.len().to_string()));
        }
        let columns = self.columns.max(1);
        for (at, number) in self.values.iter_mut().enumerate() {
            let output = if self.turned { at % columns } else { at / columns };
            *number = work(*number, others[output.min(others.len() - 1)]);
        }
        Ok(())
    }
}
