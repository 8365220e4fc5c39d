//! Layer norms, as one node or as the nodes of their definition.

use super::graph::Node;
use super::walk::Walk;
use crate::Error;
use crate::head::EPSILON;

/// A layer norm of a graph.
#[derive(Debug)]
pub(super) struct Norm<'a> {
    pub name: &'a str,
    pub weight: Vec<f32>,
    /// As many as weights, or none, which are zeros.
    pub bias: Vec<f32>,
    pub epsilon: f64,
    pub input: &'a str,
}

const EXPECTED: &str = "a layer norm before the decoder, LayerNormalization or ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, \
    Div, Mul and Add over the last axis";

impl<'a> Norm<'a> {
    /// The layer norm that makes a value.
    pub fn find(walk: &mut Walk<'a>, value: &'a str) -> Result<Self, Error> {
        let value = walk.same(value)?;
        let node = walk.node(value, EXPECTED)?;
        match node.op.as_str() {
            "LayerNormalization" => Self::whole(walk, node),
            "Add" => {
                let Some((bias, rest)) = constant_side(walk, node)? else {
                    return Err(walk.refuse(EXPECTED, node));
                };
                let bias = walk.constant(bias)?.values;
                Self::weighted(walk, rest, bias)
            }
            _ => Self::weighted(walk, value, Vec::new()),
        }
    }

    fn whole(walk: &mut Walk<'a>, node: &'a Node) -> Result<Self, Error> {
        let (Some(input), Some(weight)) = (node.input(0), node.input(1)) else {
            return Err(walk.refuse(EXPECTED, node));
        };
        if !is_last(node.integer("axis", -1)) {
            return Err(walk.refuse(EXPECTED, node));
        }
        let weight = walk.constant(weight)?.values;
        let bias = node.input(2).map(|bias| walk.constant(bias)).transpose()?;
        let bias = bias.map_or_else(Vec::new, |bias| bias.values);
        let epsilon = written(walk, node, node.float("epsilon", 1e-5))?;
        Ok(Self { name: &node.name, weight, bias, epsilon, input })
    }

    /// γ · (x − mean) / √(variance + ε).
    fn weighted(walk: &mut Walk<'a>, value: &'a str, bias: Vec<f32>) -> Result<Self, Error> {
        let value = walk.same(value)?;
        let node = walk.node(value, EXPECTED)?;
        let sides = if node.op == "Mul" { constant_side(walk, node)? } else { None };
        let Some((weight, rest)) = sides else { return Err(walk.refuse(EXPECTED, node)) };
        let weight = walk.constant(weight)?.values;
        let (input, epsilon) = normal(walk, rest)?;
        Ok(Self { name: &node.name, weight, bias, epsilon, input })
    }
}

/// (x − mean) / √(variance + ε): x and ε.
fn normal<'a>(walk: &mut Walk<'a>, value: &'a str) -> Result<(&'a str, f64), Error> {
    let value = walk.same(value)?;
    let node = walk.node(value, EXPECTED)?;
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else {
        return Err(walk.refuse(EXPECTED, node));
    };
    let (input, variance) = match node.op.as_str() {
        "Div" => (centred(walk, left)?, deviation(walk, right, 0.5)?),
        "Mul" => match centred(walk, left)? {
            Some(input) => (Some(input), deviation(walk, right, -0.5)?),
            None => (centred(walk, right)?, deviation(walk, left, -0.5)?),
        },
        _ => (None, None),
    };
    let (Some(input), Some(variance)) = (input, variance) else { return Err(walk.refuse(EXPECTED, node)) };
    let variance = walk.same(variance)?;
    let sum = walk.node(variance, EXPECTED)?;
    let sides = if sum.op == "Add" { constant_side(walk, sum)? } else { None };
    let Some((epsilon, variance)) = sides else { return Err(walk.refuse(EXPECTED, sum)) };
    let Some(epsilon) = walk.scalar(epsilon)? else { return Err(walk.refuse(EXPECTED, sum)) };
    let epsilon = written(walk, sum, epsilon)?;
    let Some(squares) = mean(walk, variance)? else { return Err(walk.refuse(EXPECTED, sum)) };
    let squares = walk.same(squares)?;
    let square = walk.node(squares, EXPECTED)?;
    let (Some(left), Some(right)) = (square.input(0), square.input(1)) else {
        return Err(walk.refuse(EXPECTED, square));
    };
    let squared = match square.op.as_str() {
        "Pow" if walk.scalar(right)? == Some(2.0) => centred(walk, left)?,
        "Mul" if walk.same(left)? == walk.same(right)? => centred(walk, left)?,
        _ => None,
    };
    if squared == Some(input) { Ok((input, epsilon)) } else { Err(walk.refuse(EXPECTED, square)) }
}

/// Of x − mean of x, x.
fn centred<'a>(walk: &mut Walk<'a>, value: &'a str) -> Result<Option<&'a str>, Error> {
    let value = walk.same(value)?;
    let Some(node) = walk.find(value)?.filter(|node| node.op == "Sub") else { return Ok(None) };
    let (Some(input), Some(subtracted)) = (node.input(0), node.input(1)) else { return Ok(None) };
    let Some(of) = mean(walk, subtracted)? else { return Ok(None) };
    let (input, of) = (walk.same(input)?, walk.same(of)?);
    Ok((input == of).then_some(input))
}

/// Of a mean over the last axis, what it is of.
fn mean<'a>(walk: &mut Walk<'a>, value: &'a str) -> Result<Option<&'a str>, Error> {
    let value = walk.same(value)?;
    let Some(node) = walk.find(value)?.filter(|node| node.op == "ReduceMean") else { return Ok(None) };
    let axes = match (node.numbers("axes"), node.input(1)) {
        (Some(axes), _) => axes.to_vec(),
        (None, Some(axes)) => walk.constant(axes)?.values,
        (None, None) => return Ok(None),
    };
    let last = matches!(axes[..], [axis] if is_last(axis as i64));
    Ok(node.input(0).filter(|_| last && node.integer("keepdims", 1) == 1))
}

/// Of y to a power of ½ or −½, y.
fn deviation<'a>(walk: &mut Walk<'a>, value: &'a str, power: f32) -> Result<Option<&'a str>, Error> {
    let value = walk.same(value)?;
    let Some(node) = walk.find(value)? else { return Ok(None) };
    let Some(input) = node.input(0) else { return Ok(None) };
    Ok(match (node.op.as_str(), node.input(1)) {
        ("Sqrt", _) if power > 0.0 => Some(input),
        ("Reciprocal", _) if power < 0.0 => deviation(walk, input, -power)?,
        ("Pow", Some(exponent)) if walk.scalar(exponent)? == Some(power) => Some(input),
        _ => None,
    })
}

/// Of a node's two inputs the one that is a constant, and the other one.
fn constant_side<'a>(walk: &mut Walk<'a>, node: &'a Node) -> Result<Option<(&'a str, &'a str)>, Error> {
    let (Some(left), Some(right)) = (node.input(0), node.input(1)) else { return Ok(None) };
    if walk.is_constant(left)? {
        return Ok(Some((left, right)));
    }
    Ok(walk.is_constant(right)?.then_some((right, left)))
}

/// Whether an axis is the last one: vectors stand in rows, or in rows of sequences, where 2 is the last.
fn is_last(axis: i64) -> bool {
    axis == -1 || axis == 2
}

/// The number that was meant: the one with the fewest digits that `f32` makes this of. Where 16 bits have made it 0, it is
/// what all these models have.
fn written(walk: &Walk<'_>, node: &Node, epsilon: f32) -> Result<f64, Error> {
    let number = epsilon.to_string().parse().unwrap_or(f64::NAN);
    match number {
        0.0 => Ok(EPSILON),
        number if number.is_finite() && number > 0.0 => Ok(number),
        number => {
            let expected = format!("a number above 0 that node \"{}\" adds to a variance", node.name);
            Err(walk.error(expected, number.to_string()))
        }
    }
}
