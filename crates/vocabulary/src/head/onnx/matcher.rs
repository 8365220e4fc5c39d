//! The way from an output of a graph back to what it is made of, past what changes no number.

use super::graph::{Graph, Node};
use super::protobuf::ProtobufFile;
use crate::Error;
use crate::head::tensor::Tensor;

/// Nodes that may be looked at on the way from the logits to the head's input: there are some thirty, looked at a few times.
const MOST_STEPS: usize = 2000;
/// The kinds of `TensorProto.DataType` that a Cast may make of numbers without another meaning: floats.
const FLOATS: [i64; 4] = [1, 10, 11, 16];

/// A graph that is walked backwards.
#[derive(Debug)]
pub(super) struct Matcher<'a> {
    graph: &'a Graph,
    source: &'a mut ProtobufFile,
    steps: usize,
}

impl<'a> Matcher<'a> {
    pub fn new(graph: &'a Graph, source: &'a mut ProtobufFile) -> Self {
        Self { graph, source, steps: 0 }
    }

    /// The node that makes a value.
    ///
    /// # Errors
    ///
    /// [`Error::Format`], with what was `expected`, if none does.
    pub fn node(&mut self, value: &str, expected: &str) -> Result<&'a Node, Error> {
        match self.find(value)? {
            Some(node) => Ok(node),
            None => {
                let what = if self.graph.initializers.contains_key(value) { "weights" } else { "an input" };
                Err(self.error(expected, format!("{what} \"{value}\"")))
            }
        }
    }

    /// Of a constant matrix that is another one transposed, the other one.
    pub fn turned(&mut self, value: &str) -> Result<Option<&'a str>, Error> {
        let node = self.find(value)?.filter(|node| node.op == "Transpose" && turns(node));
        Ok(node.and_then(|node| node.input(0)))
    }

    /// The value that one is made of without a change to its numbers.
    pub fn same(&mut self, mut value: &'a str) -> Result<&'a str, Error> {
        while let Some(node) = self.find(value)? {
            let passes = match node.op.as_str() {
                "Identity" | "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten" | "Dropout" => true,
                "Cast" => FLOATS.contains(&node.integer("to", 0)),
                _ => false,
            };
            let Some(input) = node.input(0).filter(|_| passes) else { break };
            value = input;
        }
        Ok(value)
    }

    /// Whether a value is the same whatever the graph is given.
    pub fn is_constant(&mut self, mut value: &'a str) -> Result<bool, Error> {
        loop {
            if self.graph.initializers.contains_key(value) {
                return Ok(true);
            }
            let Some(node) = self.find(value)? else { return Ok(false) };
            match (node.op.as_str(), node.input(0)) {
                ("Constant", _) => return Ok(true),
                (
                    "Identity" | "Cast" | "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten" | "Transpose"
                    | "DequantizeLinear",
                    Some(input),
                ) => value = input,
                _ => return Ok(false),
            }
        }
    }

    /// The numbers of a constant. Axes of length 1 may be more or fewer than in the graph.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] if it is none, or made in a way that is not known.
    pub fn constant(&mut self, value: &'a str) -> Result<Tensor, Error> {
        const EXPECTED: &str = "weights that are constants of the graph";
        if let Some(tensor) = self.graph.initializers.get(value) {
            return tensor.load(self.source);
        }
        let node = self.node(value, EXPECTED)?;
        match (node.op.as_str(), node.input(0)) {
            ("Constant", _) => match node.constant(self.source)? {
                Some(tensor) => Ok(tensor),
                None => Err(self.refuse(EXPECTED, node)),
            },
            ("Identity" | "Cast" | "Squeeze" | "Unsqueeze", Some(input)) => self.constant(input),
            ("Reshape", Some(input)) => self.reshaped(node, input),
            ("Transpose", Some(input)) => {
                let tensor = self.constant(input)?;
                let &[rows, columns] = &tensor.shape[..] else { return Err(self.refuse(EXPECTED, node)) };
                if !turns(node) {
                    return Err(self.refuse(EXPECTED, node));
                }
                let values = transposed(&tensor.values, rows, columns);
                Ok(Tensor { shape: vec![columns, rows], values })
            }
            ("DequantizeLinear", Some(input)) => self.dequantized(node, input),
            _ => Err(self.refuse(EXPECTED, node)),
        }
    }

    /// The one number of a constant.
    pub fn scalar(&mut self, value: &'a str) -> Result<Option<f32>, Error> {
        if !self.is_constant(value)? {
            return Ok(None);
        }
        Ok(match self.constant(value)?.values[..] {
            [number] => Some(number),
            _ => None,
        })
    }

    /// (q − zero point) · scale along an axis, or of all: the numbers that those of 8 bits stand for.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] where scales or zero points are not one for all or one for each place of the axis.
    pub fn scaled(
        &mut self,
        node: &'a Node,
        mut tensor: Tensor,
        (scale, zero): (&'a str, Option<&'a str>),
        axis: i64,
    ) -> Result<Tensor, Error> {
        const EXPECTED: &str = "one scale and zero point for all weights or for each place of an axis";
        let scale = self.constant(scale)?.values;
        let zero = zero.map(|zero| self.constant(zero)).transpose()?;
        let zero = zero.map_or_else(|| vec![0.0], |zero| zero.values);
        let rank = tensor.shape.len() as i64;
        let axis = usize::try_from(if axis < 0 { axis + rank } else { axis }).ok();
        let axis = axis.filter(|&axis| axis < tensor.shape.len());
        let size = axis.map_or(1, |axis| tensor.shape[axis]);
        let fits = |values: &[f32]| values.len() == 1 || values.len() == size;
        if !fits(&scale) || !fits(&zero) {
            return Err(self.refuse(EXPECTED, node));
        }
        // Numbers that follow each other have the same place of the axis.
        let together = axis.map_or(1, |axis| tensor.shape[axis + 1..].iter().product::<usize>()).max(1);
        for (at, numbers) in tensor.values.chunks_mut(together).enumerate() {
            let at = at % size.max(1);
            let (scale, zero) = (scale[at.min(scale.len() - 1)], zero[at.min(zero.len() - 1)]);
            numbers.iter_mut().for_each(|number| *number = (*number - zero) * scale);
        }
        Ok(tensor)
    }

    pub fn error(&self, expected: impl Into<String>, got: impl Into<String>) -> Error {
        Error::format(self.source.path(), expected, got)
    }

    /// That a node is not what was expected.
    pub fn refuse(&self, expected: impl Into<String>, node: &Node) -> Error {
        self.error(expected, format!("node \"{}\" of op {}", node.name, node.op))
    }

    /// The node that makes a value, if one does.
    pub fn find(&mut self, value: &str) -> Result<Option<&'a Node>, Error> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            let expected = format!("a head that is found in {MOST_STEPS} steps");
            return Err(self.error(expected, format!("more, the last at \"{value}\"")));
        }
        Ok(self.graph.producer(value))
    }

    fn reshaped(&mut self, node: &'a Node, input: &'a str) -> Result<Tensor, Error> {
        const EXPECTED: &str = "weights whose new shape has as many numbers";
        let mut tensor = self.constant(input)?;
        let Some(shape) = node.input(1) else { return Err(self.refuse(EXPECTED, node)) };
        let shape = self.constant(shape)?.values;
        let count = tensor.values.len();
        let mut sizes: Vec<Option<usize>> = Vec::new();
        for (at, &size) in shape.iter().enumerate() {
            sizes.push(match size {
                -1.0 => None,
                0.0 => Some(tensor.shape.get(at).copied().unwrap_or(0)),
                size => Some(size as usize),
            });
        }
        let known = sizes.iter().flatten().try_fold(1usize, |product, &size| product.checked_mul(size));
        let known = known.filter(|&known| known > 0).unwrap_or(usize::MAX);
        tensor.shape = sizes.iter().map(|size| size.unwrap_or(count / known)).collect();
        let product = tensor.shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        if product == Some(count) { Ok(tensor) } else { Err(self.refuse(EXPECTED, node)) }
    }

    fn dequantized(&mut self, node: &'a Node, input: &'a str) -> Result<Tensor, Error> {
        let tensor = self.constant(input)?;
        let Some(scale) = node.input(1).filter(|_| node.integer("block_size", 0) == 0) else {
            return Err(self.refuse("scales of all weights or of each place of an axis", node));
        };
        self.scaled(node, tensor, (scale, node.input(2)), node.integer("axis", 1))
    }
}

/// Whether a Transpose exchanges the two axes of a matrix.
fn turns(node: &Node) -> bool {
    node.numbers("perm").is_none_or(|order| order == [1.0, 0.0])
}

/// Rows as columns.
pub(super) fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    // Blocks whose lines stay in the cache.
    const BLOCK: usize = 32;
    let mut turned = vec![0.0; values.len()];
    for first in (0..rows).step_by(BLOCK) {
        for left in (0..columns).step_by(BLOCK) {
            for row in first..rows.min(first + BLOCK) {
                for column in left..columns.min(left + BLOCK) {
                    turned[column * rows + row] = values[row * columns + column];
                }
            }
        }
    }
    turned
}
