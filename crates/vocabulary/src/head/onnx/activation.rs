//! Finds the activation of a head in an ONNX graph. It is recognized by its values, no matter which nodes compute it.
//!
//! Exporters write GELU as one node, or in several ways as five to ten nodes. The subgraph is therefore evaluated, as a
//! function of one variable, at 49 points from −6 to 6, and compared with the activations that a head may have.

use std::collections::HashMap;

use super::graph::Node;
use super::linear::is_integer_product;
use super::matcher::Matcher;
use crate::Error;
use crate::head::Activation;

/// The activations that a head may have.
const ACTIVATIONS: [Activation; 2] = [Activation::Gelu, Activation::GeluTanh];
/// Maximum difference from an activation at any point. Rounding the constants of an activation to 16-bit floats changes
/// its values by less than half of this limit. The two activations also differ from each other by less than half of the
/// limit, so both may be within it; the nearer one is chosen. Other functions (ReLU, SiLU, x · sigmoid(1.702 x)) differ
/// from both by more than twenty times the limit.
const MAX_DIFFERENCE: f64 = 1e-3;

const EXPECTED: &str = "GELU or its tanh approximation between the dense layer and the layer norm";

/// An activation in a graph.
#[derive(Debug)]
pub(super) struct ActivationLayer<'a> {
    pub activation: Activation,
    /// The value to which the activation is applied.
    pub input: &'a str,
    /// A bias that a fused node adds to its input.
    pub bias: Option<&'a str>,
}

impl<'a> ActivationLayer<'a> {
    /// Matches the activation that computes a value.
    pub fn match_output(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Self, Error> {
        let value = matcher.skip_identity(value)?;
        let node = matcher.require_producer(value, EXPECTED)?;
        let Some(input) = node.input(0) else { return Err(matcher.unexpected(EXPECTED, node)) };
        let bias = node.input(1);
        match node.op.as_str() {
            "Gelu" if node.text("approximate") == "tanh" => {
                return Ok(Self { activation: Activation::GeluTanh, input, bias: None });
            }
            "Gelu" => return Ok(Self { activation: Activation::Gelu, input, bias: None }),
            "BiasGelu" => return Ok(Self { activation: Activation::Gelu, input, bias }),
            "FastGelu" => return Ok(Self { activation: Activation::GeluTanh, input, bias }),
            _ => {}
        }
        // Not a fused node: the subgraph is evaluated and compared.
        let mut function = PointwiseFunction { input: None, values: HashMap::new() };
        function.evaluate(matcher, value)?;
        let input = function.input.filter(|&input| input != value);
        let (Some(input), Some(values)) = (input, function.values.get(value)) else {
            return Err(matcher.unexpected(EXPECTED, node));
        };
        let difference = |activation: Activation| {
            let differences = points().zip(values).map(|(x, &got)| (activation.value(x) - got).abs());
            differences.fold(
                0.0,
                |max: f64, difference| {
                    if difference.is_nan() { f64::INFINITY } else { max.max(difference) }
                },
            )
        };
        let nearest = ACTIVATIONS.into_iter().min_by(|&a, &b| difference(a).total_cmp(&difference(b)));
        match nearest.filter(|&activation| difference(activation) <= MAX_DIFFERENCE) {
            Some(activation) => Ok(Self { activation, input, bias: None }),
            None => {
                let at_one = points().zip(values).find(|&(x, _)| x == 1.0).map_or(f64::NAN, |(_, &got)| got);
                let got = format!("node \"{}\" of op {}, which maps 1 to {at_one:.4}", node.name, node.op);
                Err(matcher.error(EXPECTED, got))
            }
        }
    }
}

/// The points at which functions are compared.
fn points() -> impl Iterator<Item = f64> {
    (-24..=24).map(|quarters| f64::from(quarters) / 4.0)
}

/// A subgraph that computes a function of one variable. It is evaluated node by node, each node at all [`points`].
struct PointwiseFunction<'a> {
    /// The variable: the only value that is not computed by scalar operations.
    input: Option<&'a str>,
    /// For each evaluated value of the graph, its numbers at all points.
    values: HashMap<&'a str, Vec<f64>>,
}

impl<'a> PointwiseFunction<'a> {
    /// Evaluates a value of the graph at all points.
    fn evaluate(&mut self, matcher: &mut Matcher<'a>, value: &'a str) -> Result<(), Error> {
        let value = matcher.skip_identity(value)?;
        if self.values.contains_key(value) {
            return Ok(());
        }
        let node = matcher.require_producer(value, EXPECTED)?;
        let values = match scalar_operation(node) {
            Some(operation) if self.is_scalar(matcher, node)? => {
                let mut inputs = Vec::new();
                for input in node.inputs.iter().map(String::as_str) {
                    inputs.push(self.input(matcher, input)?);
                }
                let arguments = |at: usize| inputs.iter().map(|values| values[at]).collect::<Vec<_>>();
                (0..points().count()).map(|at| operation(&arguments(at))).collect()
            }
            _ => {
                if self.input.is_some_and(|input| input != value) {
                    return Err(matcher.unexpected(EXPECTED, node));
                }
                self.input = Some(value);
                points().collect()
            }
        };
        self.values.insert(value, values);
        Ok(())
    }

    /// Returns the numbers of a node's input at all points. The input is either a constant number, or a value that is
    /// evaluated first.
    fn input(&mut self, matcher: &mut Matcher<'a>, input: &'a str) -> Result<Vec<f64>, Error> {
        if let Some(number) = matcher.scalar(input)? {
            return Ok(points().map(|_| f64::from(number)).collect());
        }
        self.evaluate(matcher, input)?;
        let input = matcher.skip_identity(input)?;
        Ok(self.values.get(input).cloned().unwrap_or_else(|| points().map(|_| f64::NAN).collect()))
    }

    /// Whether a node is part of the function: its constants are single numbers, and no input is a product of integer
    /// matrices. A node that adds a constant vector adds the bias of the dense layer, and a node that multiplies an
    /// integer product scales the output of the dense layer, so neither is part of the function.
    fn is_scalar(&self, matcher: &mut Matcher<'a>, node: &'a Node) -> Result<bool, Error> {
        for input in node.inputs.iter().map(String::as_str) {
            let is_vector = matcher.is_constant(input)? && matcher.scalar(input)?.is_none();
            if is_vector || is_integer_product(matcher, input)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the function that a node computes, if it is one of the operations that activations are composed of.
fn scalar_operation(node: &Node) -> Option<fn(&[f64]) -> f64> {
    let (input_count, operation): (usize, fn(&[f64]) -> f64) = match node.op.as_str() {
        "Add" => (2, |x| x[0] + x[1]),
        "Sub" => (2, |x| x[0] - x[1]),
        "Mul" => (2, |x| x[0] * x[1]),
        "Div" => (2, |x| x[0] / x[1]),
        "Pow" => (2, |x| libm::pow(x[0], x[1])),
        "Neg" => (1, |x| -x[0]),
        "Reciprocal" => (1, |x| 1.0 / x[0]),
        "Sqrt" => (1, |x| x[0].sqrt()),
        "Exp" => (1, |x| libm::exp(x[0])),
        "Erf" => (1, |x| libm::erf(x[0])),
        "Tanh" => (1, |x| libm::tanh(x[0])),
        "Sigmoid" => (1, |x| 1.0 / (1.0 + libm::exp(-x[0]))),
        "Relu" => (1, |x| x[0].max(0.0)),
        _ => return None,
    };
    (node.inputs.len() == input_count && node.inputs.iter().all(|input| !input.is_empty()))
        .then_some(operation)
}
