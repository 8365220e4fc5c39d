//! Finds layer norms in an ONNX graph: γ · (x − mean) / √(variance + ε) + β (Ba et al., 2016, "Layer Normalization"),
//! either as a single LayerNormalization node or as one node per operation of this formula.

use super::graph::Node;
use super::matcher::Matcher;
use crate::Error;
use crate::head::DEFAULT_EPSILON;

/// A layer norm in a graph.
#[derive(Debug)]
pub(super) struct LayerNorm<'a> {
    /// Name of the node that multiplies by γ, for error messages.
    pub name: &'a str,
    /// γ.
    pub weight: Vec<f32>,
    /// β; empty if the layer has none.
    pub bias: Vec<f32>,
    pub epsilon: f64,
    /// The value x.
    pub input: &'a str,
}

const EXPECTED: &str = "a layer norm before the decoder, either LayerNormalization, or ReduceMean, Sub, Pow, \
    ReduceMean, Add, Sqrt, Div, Mul and Add over the last axis";

impl<'a> LayerNorm<'a> {
    /// Matches the layer norm that computes a value.
    pub fn match_output(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Self, Error> {
        let value = matcher.skip_identity(value)?;
        let node = matcher.require_producer(value, EXPECTED)?;
        match node.op.as_str() {
            "LayerNormalization" => Self::match_fused(matcher, node),
            "Add" => {
                let Some(Operands { constant: bias, other: rest }) = with_constant(matcher, node)? else {
                    return Err(matcher.unexpected(EXPECTED, node));
                };
                let bias = matcher.constant(bias)?.values;
                Self::match_weighted(matcher, rest, bias)
            }
            _ => Self::match_weighted(matcher, value, Vec::new()),
        }
    }

    /// Matches a LayerNormalization node.
    fn match_fused(matcher: &mut Matcher<'a>, node: &'a Node) -> Result<Self, Error> {
        let (Some(input), Some(weight)) = (node.input(0), node.input(1)) else {
            return Err(matcher.unexpected(EXPECTED, node));
        };
        if !is_last_axis(node.integer("axis", -1)) {
            return Err(matcher.unexpected(EXPECTED, node));
        }
        let weight = matcher.constant(weight)?.values;
        let bias = node.input(2).map(|bias| matcher.constant(bias)).transpose()?;
        let bias = bias.map_or_else(Vec::new, |bias| bias.values);
        let epsilon = decimal_epsilon(matcher, node, node.float("epsilon", 1e-5))?;
        Ok(Self { name: &node.name, weight, bias, epsilon, input })
    }

    /// Matches γ · (x − mean) / √(variance + ε). `bias` is β, which the caller has already found.
    fn match_weighted(matcher: &mut Matcher<'a>, value: &'a str, bias: Vec<f32>) -> Result<Self, Error> {
        let value = matcher.skip_identity(value)?;
        let node = matcher.require_producer(value, EXPECTED)?;
        let operands = if node.op == "Mul" { with_constant(matcher, node)? } else { None };
        let Some(Operands { constant: weight, other: rest }) = operands else {
            return Err(matcher.unexpected(EXPECTED, node));
        };
        let weight = matcher.constant(weight)?.values;
        let Normalized { input, epsilon } = match_normalized(matcher, rest)?;
        Ok(Self { name: &node.name, weight, bias, epsilon, input })
    }
}

/// x and ε of (x − mean) / √(variance + ε).
struct Normalized<'a> {
    input: &'a str,
    epsilon: f64,
}

/// Matches (x − mean) / √(variance + ε).
fn match_normalized<'a>(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Normalized<'a>, Error> {
    let value = matcher.skip_identity(value)?;
    let node = matcher.require_producer(value, EXPECTED)?;
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else {
        return Err(matcher.unexpected(EXPECTED, node));
    };
    let (input, variance) = match node.op.as_str() {
        "Div" => (match_centered(matcher, left)?, match_power(matcher, right, 0.5)?),
        "Mul" => match match_centered(matcher, left)? {
            Some(input) => (Some(input), match_power(matcher, right, -0.5)?),
            None => (match_centered(matcher, right)?, match_power(matcher, left, -0.5)?),
        },
        _ => (None, None),
    };
    let (Some(input), Some(variance)) = (input, variance) else {
        return Err(matcher.unexpected(EXPECTED, node));
    };
    let variance = matcher.skip_identity(variance)?;
    let sum = matcher.require_producer(variance, EXPECTED)?;
    let operands = if sum.op == "Add" { with_constant(matcher, sum)? } else { None };
    let Some(Operands { constant: epsilon, other: variance }) = operands else {
        return Err(matcher.unexpected(EXPECTED, sum));
    };
    let Some(epsilon) = matcher.scalar(epsilon)? else { return Err(matcher.unexpected(EXPECTED, sum)) };
    let epsilon = decimal_epsilon(matcher, sum, epsilon)?;
    let Some(squares) = match_mean(matcher, variance)? else { return Err(matcher.unexpected(EXPECTED, sum)) };
    let squares = matcher.skip_identity(squares)?;
    let square = matcher.require_producer(squares, EXPECTED)?;
    let (Some(left), Some(right)) = (square.input(0), square.input(1)) else {
        return Err(matcher.unexpected(EXPECTED, square));
    };
    let squared = match square.op.as_str() {
        "Pow" if matcher.scalar(right)? == Some(2.0) => match_centered(matcher, left)?,
        "Mul" if matcher.skip_identity(left)? == matcher.skip_identity(right)? => {
            match_centered(matcher, left)?
        }
        _ => None,
    };
    if squared == Some(input) {
        Ok(Normalized { input, epsilon })
    } else {
        Err(matcher.unexpected(EXPECTED, square))
    }
}

/// Returns the value x if `value` is x − mean(x).
fn match_centered<'a>(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Option<&'a str>, Error> {
    let value = matcher.skip_identity(value)?;
    let Some(node) = matcher.producer(value)?.filter(|node| node.op == "Sub") else { return Ok(None) };
    let (Some(input), Some(subtracted)) = (node.input(0), node.input(1)) else { return Ok(None) };
    let Some(averaged) = match_mean(matcher, subtracted)? else { return Ok(None) };
    let (input, averaged) = (matcher.skip_identity(input)?, matcher.skip_identity(averaged)?);
    Ok((input == averaged).then_some(input))
}

/// Returns the value x if `value` is mean(x), a ReduceMean over the last axis.
fn match_mean<'a>(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Option<&'a str>, Error> {
    let value = matcher.skip_identity(value)?;
    let Some(node) = matcher.producer(value)?.filter(|node| node.op == "ReduceMean") else { return Ok(None) };
    let axes = match (node.numbers("axes"), node.input(1)) {
        (Some(axes), _) => axes.to_vec(),
        (None, Some(axes)) => matcher.constant(axes)?.values,
        (None, None) => return Ok(None),
    };
    let is_last = matches!(axes[..], [axis] if is_last_axis(axis as i64));
    Ok(node.input(0).filter(|_| is_last && node.integer("keepdims", 1) == 1))
}

/// Returns the value y if `value` is y to the power `power`, which is ½ or −½.
fn match_power<'a>(matcher: &mut Matcher<'a>, value: &'a str, power: f32) -> Result<Option<&'a str>, Error> {
    let value = matcher.skip_identity(value)?;
    let Some(node) = matcher.producer(value)? else { return Ok(None) };
    let Some(input) = node.input(0) else { return Ok(None) };
    Ok(match (node.op.as_str(), node.input(1)) {
        ("Sqrt", _) if power > 0.0 => Some(input),
        ("Reciprocal", _) if power < 0.0 => match_power(matcher, input, -power)?,
        ("Pow", Some(exponent)) if matcher.scalar(exponent)? == Some(power) => Some(input),
        _ => None,
    })
}

/// The two inputs of a node, if one of them is a constant.
struct Operands<'a> {
    constant: &'a str,
    other: &'a str,
}

/// Returns the first two inputs of a node, if at least one of them is a constant.
fn with_constant<'a>(matcher: &mut Matcher<'a>, node: &'a Node) -> Result<Option<Operands<'a>>, Error> {
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else { return Ok(None) };
    if matcher.is_constant(left)? {
        return Ok(Some(Operands { constant: left, other: right }));
    }
    Ok(matcher.is_constant(right)?.then_some(Operands { constant: right, other: left }))
}

/// Whether an axis is the last one of `[batch, sequence, dim]`, which is the shape of hidden states.
fn is_last_axis(axis: i64) -> bool {
    axis == -1 || axis == 2
}

/// Returns the decimal number that the exporter rounded to this `f32`: the shortest one that rounds to it. If a
/// conversion to 16-bit floats rounded epsilon to 0, returns the default epsilon.
fn decimal_epsilon(matcher: &Matcher<'_>, node: &Node, epsilon: f32) -> Result<f64, Error> {
    let number = epsilon.to_string().parse().unwrap_or(f64::NAN);
    match number {
        0.0 => Ok(DEFAULT_EPSILON),
        number if number.is_finite() && number > 0.0 => Ok(number),
        number => {
            let expected = format!("a number above 0 that node \"{}\" adds to a variance", node.name);
            Err(matcher.error(expected, number.to_string()))
        }
    }
}
