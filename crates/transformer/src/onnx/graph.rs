//! The graph of a file, with names resolved to numbers: [`Graph`].

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use super::error::{Error, Unrecognized};
use super::format::{DataType, Dimension, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto};
use super::node::Node;
use super::tensor::Tensor;
pub(super) use super::value::ValueId;

/// The oldest version of the standard operators that is supported. In older ones, operators do not broadcast.
const MIN_OPSET: i64 = 9;

/// A graph whose nodes are in topological order. Nodes that only copy a value (`Identity`, and `Dropout`, which has no
/// effect during inference) and nodes that hold a constant are removed.
#[derive(Debug)]
pub(super) struct Graph {
    /// The nodes. Each comes after the nodes that compute its inputs.
    pub nodes: Vec<Node>,
    /// All values, by [`ValueId`].
    values: Vec<Value>,
    /// The name and value of each output.
    pub outputs: Vec<(String, ValueId)>,
    /// The version of the standard operators.
    pub opset: i64,
}

/// A value: an input, a constant, or an output of a node.
#[derive(Debug)]
struct Value {
    name: String,
    source: Source,
}

/// Where a value comes from.
#[derive(Debug)]
pub(super) enum Source {
    /// An input of the graph.
    Input(Input),
    /// A constant.
    Constant(Rc<Tensor>),
    /// A constant of a type that is not supported.
    OtherConstant,
    /// The output of a node.
    Node {
        /// The position of the node in [`Graph::nodes`].
        node: usize,
        /// The position of the output among those of the node.
        output: usize,
    },
}

/// An input of the graph: integers of the shape `[batch, sequence]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// `input_ids`: the number of each token.
    Ids,
    /// `attention_mask`: 1 for a token and 0 for padding.
    Mask,
    /// `token_type_ids`: the number of the segment of each token.
    Types,
}

impl Graph {
    /// Resolves the names of the graph of the file `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the file has no graph, or a tensor whose number of values does not match its shape;
    /// [`Error::Io`] if the values of a tensor are in a file that cannot be read; [`Error::Unrecognized`] if the nodes
    /// are not in topological order, or if the graph has inputs other than those of [`Input`].
    pub fn new(model: ModelProto, path: &Path) -> Result<Self, Error> {
        let opset = standard_opset(&model);
        let Some(proto) = model.graph else {
            return Err(Error::malformed(path, "an ONNX file", "a file without a graph"));
        };
        let unrecognized = |reason| Error::Unrecognized { path: path.to_path_buf(), reason };
        let opset = opset.map_err(unrecognized)?;
        let mut builder = Builder { values: Vec::new(), ids: HashMap::new(), path };
        let GraphProto { node, initializer, input, output, .. } = proto;
        for tensor in initializer {
            let name = tensor.name.clone();
            let source = constant(tensor, path)?;
            builder.define(name, source)?;
        }
        for info in &input {
            if !builder.ids.contains_key(&info.name) {
                let input = model_input(info).map_err(unrecognized)?;
                builder.define(info.name.clone(), Source::Input(input))?;
            }
        }
        let mut nodes = Vec::new();
        for proto in node {
            if let Some(node) = builder.node(proto, nodes.len())? {
                nodes.push(node);
            }
        }
        let mut outputs = Vec::new();
        for info in output {
            let Some(&id) = builder.ids.get(&info.name) else {
                let place = format!("output `{}`", info.name);
                return Err(unrecognized(Unrecognized::new(place, "a value of the graph", "no such value")));
            };
            outputs.push((info.name, id));
        }
        Ok(Self { nodes, values: builder.values, outputs, opset })
    }

    /// Number of values.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// All values with their sources.
    pub fn sources(&self) -> impl Iterator<Item = (ValueId, &Source)> {
        self.values.iter().enumerate().map(|(index, value)| (ValueId(index), &value.source))
    }

    /// Where a value comes from.
    pub fn source(&self, value: ValueId) -> &Source {
        &self.values[value.0].source
    }

    /// The node that computes a value, and the position of the value among the node's outputs.
    pub fn producer(&self, value: ValueId) -> Option<(&Node, usize)> {
        match *self.source(value) {
            Source::Node { node, output } => Some((&self.nodes[node], output)),
            _ => None,
        }
    }

    /// Describes a value by the node that computes it, for an error message.
    pub fn describe(&self, value: ValueId) -> String {
        let name = &self.values[value.0].name;
        match self.producer(value) {
            Some((node, _)) => node.describe(name),
            None => match self.source(value) {
                Source::Input(_) => format!("input `{name}`"),
                _ => format!("constant `{name}`"),
            },
        }
    }
}

/// A graph under construction.
struct Builder<'a> {
    values: Vec<Value>,
    /// The value of each name. A copied value has several names.
    ids: HashMap<String, ValueId>,
    path: &'a Path,
}

impl Builder<'_> {
    /// Adds a value.
    fn define(&mut self, name: String, source: Source) -> Result<ValueId, Error> {
        let id = ValueId(self.values.len());
        self.values.push(Value { name: name.clone(), source });
        self.name(name, id)?;
        Ok(id)
    }

    /// Gives a value a name.
    fn name(&mut self, name: String, id: ValueId) -> Result<(), Error> {
        match self.ids.insert(name.clone(), id) {
            None => Ok(()),
            Some(_) => Err(self.unrecognized(format!("value `{name}`"), "one definition", "several")),
        }
    }

    fn unrecognized(&self, place: String, expected: &str, got: impl Into<String>) -> Error {
        let reason = Unrecognized::new(place, expected, got);
        Error::Unrecognized { path: self.path.to_path_buf(), reason }
    }

    /// Adds the outputs of a node, and returns the node unless it copies a value or holds a constant.
    fn node(&mut self, proto: NodeProto, index: usize) -> Result<Option<Node>, Error> {
        let op = match proto.domain.as_str() {
            "" | "ai.onnx" => proto.op_type,
            domain => format!("{domain}.{}", proto.op_type),
        };
        let mut inputs = Vec::with_capacity(proto.input.len());
        for name in &proto.input {
            inputs.push(match self.ids.get(name) {
                _ if name.is_empty() => None,
                Some(&id) => Some(id),
                None => {
                    let place = format!("node `{}` ({op})", proto.name);
                    let got = format!("`{name}`");
                    return Err(self.unrecognized(place, "inputs that earlier nodes compute", got));
                }
            });
        }
        let mut node = Node::decode(op, inputs, proto.name, proto.attribute, self.path)?;
        let mut names = proto.output.into_iter();
        if let Some(source) = self.copied(&node) {
            // A second output of `Dropout` stays undefined: nodes that use it are refused.
            let name = names.next().unwrap_or_default();
            self.name(name, source)?;
            return Ok(None);
        }
        if node.op == "Constant" {
            let source = node.constant().map_or(Source::OtherConstant, Source::Constant);
            self.define(names.next().unwrap_or_default(), source)?;
            return Ok(None);
        }
        for (output, name) in names.enumerate() {
            let source = Source::Node { node: index, output };
            // An empty name stands for an optional output that is missing.
            let id = if name.is_empty() {
                self.values.push(Value { name, source });
                ValueId(self.values.len() - 1)
            } else {
                self.define(name, source)?
            };
            node.outputs.push(id);
        }
        Ok(Some(node))
    }

    /// The value that a node copies.
    fn copied(&self, node: &Node) -> Option<ValueId> {
        let is_copy = match node.op.as_str() {
            "Identity" => true,
            // The third input, since version 12, turns dropout on.
            "Dropout" => node.input(2).is_none_or(|training| {
                matches!(&self.values[training.0].source, Source::Constant(tensor) if tensor.bools() == Some(&[false]))
            }),
            _ => false,
        };
        if is_copy { node.input(0) } else { None }
    }
}

/// The version of the standard operators.
fn standard_opset(model: &ModelProto) -> Result<i64, Unrecognized> {
    let set = model.opset_import.iter().find(|set| matches!(set.domain.as_str(), "" | "ai.onnx"));
    match set.and_then(|set| set.version) {
        Some(version) if version >= MIN_OPSET => Ok(version),
        version => {
            let got = version.map_or("none".to_owned(), |version| format!("version {version}"));
            Err(Unrecognized::new("operator set", format!("version {MIN_OPSET} or later"), got))
        }
    }
}

/// An input of the graph, whose batch and sequence must have any size.
fn model_input(info: &ValueInfoProto) -> Result<Input, Unrecognized> {
    let place = format!("input `{}`", info.name);
    let input = match info.name.as_str() {
        "input_ids" => Input::Ids,
        "attention_mask" => Input::Mask,
        "token_type_ids" => Input::Types,
        _ => {
            let expected = "the names `input_ids`, `attention_mask` and `token_type_ids`";
            return Err(Unrecognized::new(place, expected, ""));
        }
    };
    let tensor = info.r#type.as_ref().and_then(|kind| kind.tensor_type.as_ref());
    if tensor.is_none_or(|tensor| tensor.elem_type() != DataType::Int64) {
        return Err(Unrecognized::new(place, "64-bit integers", "another type"));
    }
    if let Some(shape) = tensor.and_then(|tensor| tensor.shape.as_ref()) {
        // Some exporters write a size of 0 or less for "any".
        let fixed = shape.dim.iter().find_map(|dim| match dim.value {
            Some(Dimension::Value(size)) if size > 0 => Some(size),
            _ => None,
        });
        if let Some(size) = fixed {
            return Err(Unrecognized::new(place, "a batch and a sequence of any size", size.to_string()));
        }
        if shape.dim.len() != 2 {
            return Err(Unrecognized::new(place, "2 axes", shape.dim.len().to_string()));
        }
    }
    Ok(input)
}

/// The constant of a tensor of the file `path`.
fn constant(tensor: TensorProto, path: &Path) -> Result<Source, Error> {
    Ok(Tensor::decode(tensor, path)?
        .map_or(Source::OtherConstant, |tensor| Source::Constant(Rc::new(tensor))))
}
