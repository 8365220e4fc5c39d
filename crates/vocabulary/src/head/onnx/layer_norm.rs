//! Layer norms, as one node or as the nodes of their definition.

use super::graph::Node;
use super::matcher::Matcher;
use crate::Error;
use crate::head::DEFAULT_EPSILON;

/// A layer norm of a graph.
#[derive(Debug)]
pub(super) struct LayerNorm<'a> {
    pub name: &'a str,
    pub weight: Vec<f32>,
    /// As many as weights, or none, which are zeros.
    pub bias: Vec<f32>,
    pub epsilon: f64,
    pub input: &'a str,
}

const EXPECTED: &str = "a layer norm before the decoder, LayerNormalization or ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, \
    Div, Mul and Add over the last axis";

impl<'a> LayerNorm<'a> {
    /// The layer norm that makes a value.
    pub fn find(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Self, Error> {
        let value = matcher.same(value)?;
        let node = matcher.node(value, EXPECTED)?;
        match node.op.as_str() {
            "LayerNormalization" => Self::whole(matcher, node),
            "Add" => {
                let Some((bias, rest)) = constant_side(matcher, node)? else {
                    return Err(matcher.refuse(EXPECTED, node));
                };
                let bias = matcher.constant(bias)?.values;
                Self::weighted(matcher, rest, bias)
            }
            _ => Self::weighted(matcher, value, Vec::new()),
        }
    }

    fn whole(matcher: &mut Matcher<'a>, node: &'a Node) -> Result<Self, Error> {
        let (Some(input), Some(weight)) = (node.input(0), node.input(1)) else {
            return Err(matcher.refuse(EXPECTED, node));
        };
        if !is_last(node.integer("axis", -1)) {
            return Err(matcher.refuse(EXPECTED, node));
        }
        let weight = matcher.constant(weight)?.values;
        let bias = node.input(2).map(|bias| matcher.constant(bias)).transpose()?;
        let bias = bias.map_or_else(Vec::new, |bias| bias.values);
        let epsilon = written(matcher, node, node.float("epsilon", 1e-5))?;
        Ok(Self { name: &node.name, weight, bias, epsilon, input })
    }

    /// γ · (x − mean) / √(variance + ε).
    fn weighted(matcher: &mut Matcher<'a>, value: &'a str, bias: Vec<f32>) -> Result<Self, Error> {
        let value = matcher.same(value)?;
        let node = matcher.node(value, EXPECTED)?;
        let sides = if node.op == "Mul" { constant_side(matcher, node)? } else { None };
        let Some((weight, rest)) = sides else { return Err(matcher.refuse(EXPECTED, node)) };
        let weight = matcher.constant(weight)?.values;
        let (input, epsilon) = normal(matcher, rest)?;
        Ok(Self { name: &node.name, weight, bias, epsilon, input })
    }
}

/// (x − mean) / √(variance + ε): x and ε.
fn normal<'a>(matcher: &mut Matcher<'a>, value: &'a str) -> Result<(&'a str, f64), Error> {
    let value = matcher.same(value)?;
    let node = matcher.node(value, EXPECTED)?;
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else {
        return Err(matcher.refuse(EXPECTED, node));
    };
    let (input, variance) = match node.op.as_str() {
        "Div" => (centered(matcher, left)?, deviation(matcher, right, 0.5)?),
        "Mul" => match centered(matcher, left)? {
            Some(input) => (Some(input), deviation(matcher, right, -0.5)?),
            None => (centered(matcher, right)?, deviation(matcher, left, -0.5)?),
        },
        _ => (None, None),
    };
    let (Some(input), Some(variance)) = (input, variance) else { return Err(matcher.refuse(EXPECTED, node)) };
    let variance = matcher.same(variance)?;
    let sum = matcher.node(variance, EXPECTED)?;
    let sides = if sum.op == "Add" { constant_side(matcher, sum)? } else { None };
    let Some((epsilon, variance)) = sides else { return Err(matcher.refuse(EXPECTED, sum)) };
    let Some(epsilon) = matcher.scalar(epsilon)? else { return Err(matcher.refuse(EXPECTED, sum)) };
    let epsilon = written(matcher, sum, epsilon)?;
    let Some(squares) = mean(matcher, variance)? else { return Err(matcher.refuse(EXPECTED, sum)) };
    let squares = matcher.same(squares)?;
    let square = matcher.node(squares, EXPECTED)?;
    let (Some(left), Some(right)) = (square.input(0), square.input(1)) else {
        return Err(matcher.refuse(EXPECTED, square));
    };
    let squared = match square.op.as_str() {
        "Pow" if matcher.scalar(right)? == Some(2.0) => centered(matcher, left)?,
        "Mul" if matcher.same(left)? == matcher.same(right)? => centered(matcher, left)?,
        _ => None,
    };
    if squared == Some(input) { Ok((input, epsilon)) } else { Err(matcher.refuse(EXPECTED, square)) }
}

/// Of x − mean of x, x.
fn centered<'a>(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Option<&'a str>, Error> {
    let value = matcher.same(value)?;
    let Some(node) = matcher.find(value)?.filter(|node| node.op == "Sub") else { return Ok(None) };
    let (Some(input), Some(subtracted)) = (node.input(0), node.input(1)) else { return Ok(None) };
    let Some(of) = mean(matcher, subtracted)? else { return Ok(None) };
    let (input, of) = (matcher.same(input)?, matcher.same(of)?);
    Ok((input == of).then_some(input))
}

/// Of a mean over the last axis, what it is of.
fn mean<'a>(matcher: &mut Matcher<'a>, value: &'a str) -> Result<Option<&'a str>, Error> {
    let value = matcher.same(value)?;
    let Some(node) = matcher.find(value)?.filter(|node| node.op == "ReduceMean") else { return Ok(None) };
    let axes = match (node.numbers("axes"), node.input(1)) {
        (Some(axes), _) => axes.to_vec(),
        (None, Some(axes)) => matcher.constant(axes)?.values,
        (None, None) => return Ok(None),
    };
    let last = matches!(axes[..], [axis] if is_last(axis as i64));
    Ok(node.input(0).filter(|_| last && node.integer("keepdims", 1) == 1))
}

/// Of y to a power of ½ or −½, y.
fn deviation<'a>(matcher: &mut Matcher<'a>, value: &'a str, power: f32) -> Result<Option<&'a str>, Error> {
    let value = matcher.same(value)?;
    let Some(node) = matcher.find(value)? else { return Ok(None) };
    let Some(input) = node.input(0) else { return Ok(None) };
    Ok(match (node.op.as_str(), node.input(1)) {
        ("Sqrt", _) if power > 0.0 => Some(input),
        ("Reciprocal", _) if power < 0.0 => deviation(matcher, input, -power)?,
        ("Pow", Some(exponent)) if matcher.scalar(exponent)? == Some(power) => Some(input),
        _ => None,
    })
}

/// Of a node's two inputs the one that is a constant, and the other one.
fn constant_side<'a>(matcher: &mut Matcher<'a>, node: &'a Node) -> Result<Option<(&'a str, &'a str)>, Error> {
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else { return Ok(None) };
    if matcher.is_constant(left)? {
        return Ok(Some((left, right)));
    }
    Ok(matcher.is_constant(right)?.then_some((right, left)))
}

/// Whether an axis is the last one: vectors stand in rows, or in rows of sequences, where 2 is the last.
fn is_last(axis: i64) -> bool {
    axis == -1 || axis == 2
}

/// The number that was meant: the one with the fewest digits that `f32` makes this of. Where 16 bits have made it 0, it is
/// what all these models have.
fn written(matcher: &Matcher<'_>, node: &Node, epsilon: f32) -> Result<f64, Error> {
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
