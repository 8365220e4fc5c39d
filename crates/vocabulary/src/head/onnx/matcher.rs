//! Matches subgraphs from their outputs to their inputs. Nodes that do not change the numbers are skipped. Constants
//! are folded: the nodes between a weight in the file and its use are applied to the weight.
//!
//! A *value* is a tensor that flows between nodes, identified by its name. Each value is an initializer (a weight in
//! the file), an input of the graph, or the output of one node, its producer.

use super::graph::{Graph, Node};
use super::protobuf::ProtobufFile;
use crate::Error;
use crate::head::tensor::Tensor;
use kernels::matrix::transpose;

/// Maximum number of visits to nodes, so that matching ends on any graph, even one with a cycle. A head has about
/// thirty nodes, and each is visited a few times.
const MAX_VISITS: usize = 2000;
/// Values of `TensorProto.DataType` for floats: FLOAT, FLOAT16, DOUBLE and BFLOAT16. A Cast to one of them only rounds.
const FLOAT_TYPES: [i64; 4] = [1, 10, 11, 16];

/// Matches subgraphs of a graph from their outputs to their inputs.
#[derive(Debug)]
pub(super) struct Matcher<'a> {
    graph: &'a Graph,
    file: &'a mut ProtobufFile,
    /// Number of visits to nodes so far.
    visits: usize,
}

/// Names of the values that hold the scale and the zero point of a quantized tensor.
#[derive(Debug, Clone, Copy)]
struct QuantizationValues<'a> {
    scale: &'a str,
    zero_point: Option<&'a str>,
}

impl<'a> Matcher<'a> {
    pub fn new(graph: &'a Graph, file: &'a mut ProtobufFile) -> Self {
        Self { graph, file, visits: 0 }
    }

    /// Returns the producer of a value.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] with the text `expected` if the value has no producer.
    pub fn require_producer(&mut self, value: &str, expected: &str) -> Result<&'a Node, Error> {
        match self.producer(value)? {
            Some(node) => Ok(node),
            None => {
                let what = if self.graph.initializers.contains_key(value) { "weights" } else { "an input" };
                Err(self.error(expected, format!("{what} \"{value}\"")))
            }
        }
    }

    /// Returns the input of the Transpose node that produces a matrix; none if no such node produces it.
    pub fn transposed_input(&mut self, value: &str) -> Result<Option<&'a str>, Error> {
        let node = self.producer(value)?.filter(|node| node.op == "Transpose" && swaps_axes(node));
        Ok(node.and_then(|node| node.input(0)))
    }

    /// Returns the value from which `value` is computed by nodes that change only the shape or the precision.
    pub fn skip_identity(&mut self, mut value: &'a str) -> Result<&'a str, Error> {
        while let Some(node) = self.producer(value)? {
            let is_identity = match node.op.as_str() {
                "Identity" | "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten" | "Dropout" => true,
                "Cast" => FLOAT_TYPES.contains(&node.integer("to", 0)),
                _ => false,
            };
            let Some(input) = node.input(0).filter(|_| is_identity) else { break };
            value = input;
        }
        Ok(value)
    }

    /// Whether a value is an initializer or the output of a Constant node, possibly after nodes such as Reshape,
    /// Transpose or DequantizeLinear. Values that other nodes compute from constants do not count.
    pub fn is_constant(&mut self, mut value: &'a str) -> Result<bool, Error> {
        loop {
            if self.graph.initializers.contains_key(value) {
                return Ok(true);
            }
            let Some(node) = self.producer(value)? else { return Ok(false) };
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

    /// Returns the tensor of a constant value, after applying the nodes that compute it. The result may have more or
    /// fewer axes of length 1 than the value, because Squeeze and Unsqueeze are skipped.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] if the value is not constant, or is produced by an unsupported operator.
    pub fn constant(&mut self, value: &'a str) -> Result<Tensor, Error> {
        const EXPECTED: &str = "weights that are constants of the graph";
        if let Some(tensor) = self.graph.initializers.get(value) {
            return tensor.load(self.file);
        }
        let node = self.require_producer(value, EXPECTED)?;
        match (node.op.as_str(), node.input(0)) {
            ("Constant", _) => match node.constant(self.file)? {
                Some(tensor) => Ok(tensor),
                None => Err(self.unexpected(EXPECTED, node)),
            },
            ("Identity" | "Cast" | "Squeeze" | "Unsqueeze", Some(input)) => self.constant(input),
            ("Reshape", Some(input)) => self.fold_reshape(node, input),
            ("Transpose", Some(input)) => {
                let tensor = self.constant(input)?;
                let &[rows, columns] = &tensor.shape[..] else { return Err(self.unexpected(EXPECTED, node)) };
                if !swaps_axes(node) {
                    return Err(self.unexpected(EXPECTED, node));
                }
                let values = transpose(&tensor.values, rows, columns);
                Ok(Tensor { shape: vec![columns, rows], values })
            }
            ("DequantizeLinear", Some(input)) => self.fold_dequantize(node, input),
            _ => Err(self.unexpected(EXPECTED, node)),
        }
    }

    /// Returns the number in a constant that has exactly one number; none for other values.
    pub fn scalar(&mut self, value: &'a str) -> Result<Option<f32>, Error> {
        if !self.is_constant(value)? {
            return Ok(None);
        }
        Ok(match self.constant(value)?.values[..] {
            [number] => Some(number),
            _ => None,
        })
    }

    /// Dequantizes a tensor: (q − zero point) · scale, with one scale and zero point for all values or for each index
    /// along an axis.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] if the number of scales or zero points is neither 1 nor the length of the axis.
    fn dequantize(
        &mut self,
        node: &'a Node,
        mut tensor: Tensor,
        quantization: QuantizationValues<'a>,
        axis: i64,
    ) -> Result<Tensor, Error> {
        const EXPECTED: &str = "one scale and zero point for all weights or for each index along an axis";
        let scales = self.constant(quantization.scale)?.values;
        let zero_points = quantization.zero_point.map(|zero_point| self.constant(zero_point)).transpose()?;
        let zero_points = zero_points.map_or_else(|| vec![0.0], |zero_points| zero_points.values);
        let rank = tensor.shape.len() as i64;
        let axis = usize::try_from(if axis < 0 { axis + rank } else { axis }).ok();
        let axis = axis.filter(|&axis| axis < tensor.shape.len());
        let axis_length = axis.map_or(1, |axis| tensor.shape[axis]);
        let fits = |values: &[f32]| values.len() == 1 || values.len() == axis_length;
        if !fits(&scales) || !fits(&zero_points) {
            return Err(self.unexpected(EXPECTED, node));
        }
        // Number of consecutive values with the same index along the axis.
        let run_length = axis.map_or(1, |axis| tensor.shape[axis + 1..].iter().product::<usize>()).max(1);
        for (run, values) in tensor.values.chunks_mut(run_length).enumerate() {
            let index = run % axis_length.max(1);
            let scale = scales[index.min(scales.len() - 1)];
            let zero_point = zero_points[index.min(zero_points.len() - 1)];
            values.iter_mut().for_each(|value| *value = (*value - zero_point) * scale);
        }
        Ok(tensor)
    }

    /// Returns an error about this file.
    pub fn error(&self, expected: impl Into<String>, got: impl Into<String>) -> Error {
        Error::format(self.file.path(), expected, got)
    }

    /// Returns the error that a node is not what was expected.
    pub fn unexpected(&self, expected: impl Into<String>, node: &Node) -> Error {
        self.error(expected, format!("node \"{}\" of op {}", node.name, node.op))
    }

    /// Returns the producer of a value, if it has one.
    pub fn producer(&mut self, value: &str) -> Result<Option<&'a Node>, Error> {
        self.visits += 1;
        if self.visits > MAX_VISITS {
            let expected = format!("a head that is found in {MAX_VISITS} steps");
            return Err(self.error(expected, format!("more steps, the last at \"{value}\"")));
        }
        Ok(self.graph.producer(value))
    }

    /// Returns the constant `input` with the shape that the Reshape `node` gives it.
    fn fold_reshape(&mut self, node: &'a Node, input: &'a str) -> Result<Tensor, Error> {
        const EXPECTED: &str = "weights that keep their number of values when they are reshaped";
        let mut tensor = self.constant(input)?;
        let Some(shape) = node.input(1) else { return Err(self.unexpected(EXPECTED, node)) };
        let shape = self.constant(shape)?.values;
        let count = tensor.values.len();
        let mut sizes: Vec<Option<usize>> = Vec::new();
        for (at, &size) in shape.iter().enumerate() {
            sizes.push(match size {
                // In ONNX, −1 means that the size follows from the other sizes.
                -1.0 => None,
                // 0 means the size of the input's axis at the same position.
                0.0 => Some(tensor.shape.get(at).copied().unwrap_or(0)),
                size => Some(size as usize),
            });
        }
        let known = sizes.iter().flatten().try_fold(1usize, |product, &size| product.checked_mul(size));
        let known = known.filter(|&known| known > 0).unwrap_or(usize::MAX);
        tensor.shape = sizes.iter().map(|size| size.unwrap_or(count / known)).collect();
        let product = tensor.shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        if product == Some(count) { Ok(tensor) } else { Err(self.unexpected(EXPECTED, node)) }
    }

    /// Returns the constant `input` after the DequantizeLinear `node`.
    fn fold_dequantize(&mut self, node: &'a Node, input: &'a str) -> Result<Tensor, Error> {
        let tensor = self.constant(input)?;
        let Some(scale) = node.input(1).filter(|_| node.integer("block_size", 0) == 0) else {
            return Err(self.unexpected("scales for all weights or for each index along an axis", node));
        };
        let quantization = QuantizationValues { scale, zero_point: node.input(2) };
        self.dequantize(node, tensor, quantization, node.integer("axis", 1))
    }
}

/// Whether a Transpose of a matrix swaps its axes.
fn swaps_axes(node: &Node) -> bool {
    node.numbers("perm").is_none_or(|order| order == [1.0, 0.0])
}
