//! Which activation stands between two values: told by its values, whatever nodes it is made of.

use std::collections::HashMap;

use super::graph::Node;
use super::linear::is_whole_product;
use super::matcher::Matcher;
use crate::Error;
use crate::head::Activation;

/// The activations that a head may have.
const KNOWN: [Activation; 2] = [Activation::Gelu, Activation::GeluTanh];
/// How far values may be off. Constants of 16 bits move them by less than half of that; the two that are known are not half of
/// it apart, and the nearer one counts. Others (ReLU, SiLU, x · sigmoid(1.702 x)) are twenty times as far from both.
const TOLERANCE: f64 = 1e-3;

const EXPECTED: &str = "GELU or its approximation by tanh between the dense layer and the layer norm";

/// An activation of a graph.
#[derive(Debug)]
pub(super) struct ActivationLayer<'a> {
    pub activation: Activation,
    pub input: &'a str,
    /// What is added before.
    pub bias: Option<&'a str>,
}

impl<'a> ActivationLayer<'a> {
    /// The activation that makes a value.
    pub fn find(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Self, Error> {
        let value = matcher.same(value)?;
        let node = matcher.node(value, EXPECTED)?;
        let Some(input) = node.input(0) else { return Err(matcher.refuse(EXPECTED, node)) };
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
        let mut curve = Curve { input: None, values: HashMap::new() };
        curve.evaluate(matcher, value)?;
        let input = curve.input.filter(|&input| input != value);
        let (Some(input), Some(values)) = (input, curve.values.get(value)) else {
            return Err(matcher.refuse(EXPECTED, node));
        };
        let off = |activation: Activation| {
            let differences = points().zip(values).map(|(x, &got)| (activation.value(x) - got).abs());
            differences.fold(0.0, |most: f64, off| if off.is_nan() { f64::INFINITY } else { most.max(off) })
        };
        let nearest = KNOWN.into_iter().min_by(|&a, &b| off(a).total_cmp(&off(b)));
        match nearest.filter(|&activation| off(activation) <= TOLERANCE) {
            Some(activation) => Ok(Self { activation, input, bias: None }),
            None => {
                let at_one = points().zip(values).find(|&(x, _)| x == 1.0).map_or(f64::NAN, |(_, &got)| got);
                let got = format!("node \"{}\" of op {}, which makes {at_one:.4} of 1", node.name, node.op);
                Err(matcher.error(EXPECTED, got))
            }
        }
    }
}

/// Where functions are compared.
fn points() -> impl Iterator<Item = f64> {
    (-24..=24).map(|at| f64::from(at) / 4.0)
}

/// Values of a function of one variable at the points, node by node.
struct Curve<'a> {
    /// The variable: what is no function of single numbers itself.
    input: Option<&'a str>,
    values: HashMap<&'a str, Vec<f64>>,
}

impl<'a> Curve<'a> {
    fn evaluate(&mut self, matcher: &mut Matcher<'a>, value: &'a str) -> Result<(), Error> {
        let value = matcher.same(value)?;
        if self.values.contains_key(value) {
            return Ok(());
        }
        let node = matcher.node(value, EXPECTED)?;
        let values = match operation(node) {
            Some(operation) if self.of_single_numbers(matcher, node)? => {
                let mut inputs = Vec::new();
                for input in node.inputs.iter().map(String::as_str) {
                    inputs.push(self.input(matcher, input)?);
                }
                let of = |at: usize| inputs.iter().map(|values| values[at]).collect::<Vec<_>>();
                (0..points().count()).map(|at| operation(&of(at))).collect()
            }
            _ => {
                if self.input.is_some_and(|input| input != value) {
                    return Err(matcher.refuse(EXPECTED, node));
                }
                self.input = Some(value);
                points().collect()
            }
        };
        self.values.insert(value, values);
        Ok(())
    }

    fn input(&mut self, matcher: &mut Matcher<'a>, input: &'a str) -> Result<Vec<f64>, Error> {
        if let Some(number) = matcher.scalar(input)? {
            return Ok(points().map(|_| f64::from(number)).collect());
        }
        self.evaluate(matcher, input)?;
        let input = matcher.same(input)?;
        Ok(self.values.get(input).cloned().unwrap_or_else(|| points().map(|_| f64::NAN).collect()))
    }

    /// Whether a node's constants are single numbers: a bias is a vector, and its Add belongs to the dense layer.
    fn of_single_numbers(&self, matcher: &mut Matcher<'a>, node: &'a Node) -> Result<bool, Error> {
        for input in node.inputs.iter().map(String::as_str) {
            let vector = matcher.is_constant(input)? && matcher.scalar(input)?.is_none();
            if vector || is_whole_product(matcher, input)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The functions of numbers that activations are made of.
fn operation(node: &Node) -> Option<fn(&[f64]) -> f64> {
    let (inputs, operation): (usize, fn(&[f64]) -> f64) = match node.op.as_str() {
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
    (node.inputs.len() == inputs && node.inputs.iter().all(|input| !input.is_empty())).then_some(operation)
}
