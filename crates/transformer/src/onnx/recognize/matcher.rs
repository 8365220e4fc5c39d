//! A graph with what the probe found out about it, and queries that all parts of the recognition share: [`Matcher`].

use super::super::error::Unrecognized;
use super::super::graph::{Graph, ValueId};
use super::super::node::Node;
use super::super::probe::{Fact, Known, Probe};
use super::super::tensor::Tensor;

/// Most factors of a product and addends of a sum that the recognition looks at.
const MAX_TERMS: usize = 8;

/// A graph with what the probe found out about it.
pub(super) struct Matcher<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// What is known about its values.
    pub probe: Probe,
}

/// A product.
#[derive(Debug)]
pub(super) struct Product {
    /// The product of all factors that are constant scalars.
    pub constant: f64,
    /// The other factors.
    pub factors: Vec<ValueId>,
}

impl Matcher<'_> {
    /// The reason to refuse a graph because of a value.
    pub fn refuse(&self, value: ValueId, expected: impl Into<String>) -> Unrecognized {
        Unrecognized::new(self.graph.describe(value), expected, "")
    }

    /// The same, with a description of what was found.
    pub fn refuse_for(
        &self,
        value: ValueId,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Unrecognized {
        Unrecognized::new(self.graph.describe(value), expected, got)
    }

    /// The node that computes a value as its first output, if it has the given operator.
    pub fn node(&self, value: ValueId, op: &str) -> Option<&Node> {
        match self.graph.producer(value) {
            Some((node, 0)) if node.op == op => Some(node),
            _ => None,
        }
    }

    /// Both inputs of the node that computes a value, if it has the given operator.
    pub fn operands(&self, value: ValueId, op: &str) -> Option<(ValueId, ValueId)> {
        let node = self.node(value, op)?;
        if node.inputs.len() == 2 { Some((node.input(0)?, node.input(1)?)) } else { None }
    }

    /// The inputs of the node that computes a value, if it has the given commutative operator and exactly one of its
    /// two inputs is constant: the other input, and the constant one.
    pub fn with_constant(&self, value: ValueId, op: &str) -> Option<(ValueId, ValueId)> {
        let (a, b) = self.operands(value, op)?;
        match (self.probe.constant(a), self.probe.constant(b)) {
            (None, Some(_)) => Some((a, b)),
            (Some(_), None) => Some((b, a)),
            _ => None,
        }
    }

    /// A constant.
    pub fn constant(&self, value: ValueId) -> Option<&Tensor> {
        self.probe.constant(value)
    }

    /// The value of a constant float.
    pub fn scalar(&self, value: ValueId) -> Option<f32> {
        match self.constant(value)?.floats()? {
            [value] => Some(*value),
            _ => None,
        }
    }

    /// The value of a constant integer.
    pub fn integer(&self, value: ValueId) -> Option<i64> {
        match self.constant(value)?.ints()? {
            [value] => Some(*value),
            _ => None,
        }
    }

    /// The values of a constant vector of floats, which may have further axes of size 1.
    pub fn vector(&self, value: ValueId, len: usize) -> Option<Vec<f32>> {
        let tensor = self.constant(value)?;
        let is_vector = tensor.len() == len && tensor.shape.last() == Some(&len);
        tensor.floats().filter(|_| is_vector).map(<[f32]>::to_vec)
    }

    /// The shape of a value for the batch of the probe.
    pub fn shape(&self, value: ValueId) -> Result<&[usize], Unrecognized> {
        self.probe.shape(value).ok_or_else(|| self.refuse_unknown(value))
    }

    /// A value that the probe computed.
    pub fn known(&self, value: ValueId) -> Result<&Known, Unrecognized> {
        match self.probe.fact(value) {
            Fact::Tensor(known) => Ok(known),
            Fact::Shape(_) => Err(self.refuse(value, "a value that does not depend on hidden states")),
            Fact::Unknown => Err(self.refuse_unknown(value)),
        }
    }

    /// The reason to refuse a graph because the probe found out nothing about a value: the first node on the way to it
    /// that the probe could not run.
    fn refuse_unknown(&self, mut value: ValueId) -> Unrecognized {
        let is_unknown = |value: &ValueId| matches!(self.probe.fact(*value), Fact::Unknown);
        // Ends because the graph has no cycles.
        while let Some(input) = self
            .graph
            .producer(value)
            .and_then(|(node, _)| node.inputs.iter().flatten().copied().find(is_unknown))
        {
            value = input;
        }
        self.refuse(value, "an operator, types and shapes of a supported model")
    }

    /// The value whose rows, along the last axis, are those of the given value in the same order: nodes that only
    /// merge or split the other axes are skipped.
    pub fn rows(&self, mut value: ValueId) -> ValueId {
        while let Some((node, 0)) = self.graph.producer(value)
            && matches!(node.op.as_str(), "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze")
            && let Some(input) = node.input(0)
            && let (Some(from), Some(to)) = (self.probe.shape(input), self.probe.shape(value))
            && !from.is_empty()
            && from.last() == to.last()
        {
            value = input;
        }
        value
    }

    /// The factors of a value. `base` is not taken apart. Returns `None` if there are too many.
    pub fn product(&self, value: ValueId, base: Option<ValueId>) -> Option<Product> {
        let mut product = Product { constant: 1.0, factors: Vec::new() };
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            if let Some(scalar) = self.scalar(value) {
                product.constant *= f64::from(scalar);
            } else if Some(value) == base {
                product.factors.push(value);
            } else if let Some((a, b)) = self.operands(value, "Mul") {
                pending.extend([a, b]);
            } else if let Some((dividend, divisor)) = self.operands(value, "Div")
                && let Some(divisor) = self.scalar(divisor)
            {
                product.constant /= f64::from(divisor);
                pending.push(dividend);
            } else {
                product.factors.push(value);
            }
            if pending.len() + product.factors.len() > MAX_TERMS {
                return None;
            }
        }
        Some(product)
    }

    /// The addends of a value. Returns `None` if there are too many.
    pub fn addends(&self, value: ValueId) -> Option<Vec<ValueId>> {
        let mut addends = Vec::new();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match self.operands(value, "Add") {
                Some((a, b)) => pending.extend([b, a]),
                None => addends.push(value),
            }
            if pending.len() + addends.len() > MAX_TERMS {
                return None;
            }
        }
        Some(addends)
    }
}
