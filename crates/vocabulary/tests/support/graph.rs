//! Builds ONNX graphs and writes them as files, with the fields of onnx.proto that the graphs of heads need.
//!
//! A test starts with [`Graph::new`], replaces nodes or weights, and opens the head of the result with [`open_head`].

use std::path::Path;

use vocabulary::{Error, Head};

use super::Parts;

/// A node: its operator (`domain::name` or `name`), its inputs, its only output, and its attributes.
#[derive(Clone)]
pub struct Node {
    pub op: &'static str,
    pub inputs: Vec<&'static str>,
    pub output: &'static str,
    pub attributes: Vec<(&'static str, Attribute)>,
}

/// The value of an attribute of a node.
#[derive(Clone)]
pub enum Attribute {
    Float(f32),
    Integer(i64),
    Text(&'static str),
    Numbers(Vec<i64>),
}

/// A tensor: its name, its data type (a value of `TensorProto.DataType`), its shape, and the encoded fields with its
/// values.
#[derive(Clone)]
pub struct Weights {
    pub name: &'static str,
    pub data_type: u64,
    pub shape: Vec<u64>,
    pub data: Vec<u8>,
}

/// A graph with its weights and the names of its outputs.
#[derive(Clone)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub weights: Vec<Weights>,
    pub outputs: Vec<&'static str>,
}

/// Makes a node without attributes.
pub fn node(op: &'static str, inputs: &[&'static str], output: &'static str) -> Node {
    Node { op, inputs: inputs.to_vec(), output, attributes: Vec::new() }
}

impl Node {
    /// Adds an attribute.
    pub fn with_attribute(mut self, name: &'static str, attribute: Attribute) -> Self {
        self.attributes.push((name, attribute));
        self
    }

    /// Encodes the node as a `NodeProto`.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.inputs.iter().for_each(|input| put_bytes(&mut bytes, 1, input.as_bytes()));
        put_bytes(&mut bytes, 2, self.output.as_bytes());
        put_bytes(&mut bytes, 3, format!("make {}", self.output).as_bytes());
        let (domain, op) = self.op.split_once("::").unwrap_or(("", self.op));
        put_bytes(&mut bytes, 4, op.as_bytes());
        put_bytes(&mut bytes, 7, domain.as_bytes());
        for (name, attribute) in &self.attributes {
            let mut proto = Vec::new();
            put_bytes(&mut proto, 1, name.as_bytes());
            match attribute {
                Attribute::Float(value) => {
                    // Field 2 with the wire type of four bytes.
                    proto.push(2 << 3 | 5);
                    proto.extend(value.to_le_bytes());
                }
                Attribute::Integer(value) => put_varint(&mut proto, 3, *value as u64),
                Attribute::Text(text) => put_bytes(&mut proto, 4, text.as_bytes()),
                Attribute::Numbers(values) => {
                    values.iter().for_each(|&value| put_varint(&mut proto, 8, value as u64));
                }
            }
            put_bytes(&mut bytes, 5, &proto);
        }
        bytes
    }
}

impl Weights {
    /// Makes a tensor of type FLOAT with raw bytes.
    pub fn new(name: &'static str, shape: &[usize], values: &[f32]) -> Self {
        Self::raw(name, 1, shape, bytemuck::cast_slice(values))
    }

    /// Makes a tensor of any type with raw bytes.
    pub fn raw(name: &'static str, data_type: u64, shape: &[usize], bytes: &[u8]) -> Self {
        let mut data = Vec::new();
        put_bytes(&mut data, 9, bytes);
        Self { name, data_type, shape: shape.iter().map(|&size| size as u64).collect(), data }
    }

    /// Makes a tensor whose values are varints in the field `int32_data`, which is for integers of up to 32 bits and
    /// for 16-bit floats.
    pub fn int32_data(name: &'static str, data_type: u64, shape: &[usize], values: &[i64]) -> Self {
        let mut packed = Vec::new();
        values.iter().for_each(|&value| varint(&mut packed, value as u64));
        let mut data = Vec::new();
        put_bytes(&mut data, 5, &packed);
        Self { data, ..Self::raw(name, data_type, shape, &[]) }
    }

    /// Makes a tensor of type FLOAT with values in another file. `entries` are the keys and values of `external_data`.
    pub fn external(name: &'static str, shape: &[usize], entries: &[(&str, &str)]) -> Self {
        let mut data = Vec::new();
        for (key, value) in entries {
            let mut entry = Vec::new();
            put_bytes(&mut entry, 1, key.as_bytes());
            put_bytes(&mut entry, 2, value.as_bytes());
            put_bytes(&mut data, 13, &entry);
        }
        put_varint(&mut data, 14, 1);
        Self { data, ..Self::raw(name, 1, shape, &[]) }
    }

    /// Encodes the tensor as a `TensorProto`.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.shape.iter().for_each(|&size| put_varint(&mut bytes, 1, size));
        put_varint(&mut bytes, 2, self.data_type);
        put_bytes(&mut bytes, 8, self.name.as_bytes());
        bytes.extend(&self.data);
        bytes
    }
}

impl Graph {
    /// Makes the simplest graph of a head: Gemm, Gelu, LayerNormalization and Gemm. The weights have the layout
    /// `[outputs, inputs]`, as in checkpoints.
    pub fn new(parts: &Parts) -> Self {
        let transposed = Attribute::Integer(1);
        let nodes = vec![
            node("Gemm", &["vectors", "W", "c"], "dense").with_attribute("transB", transposed.clone()),
            node("Gelu", &["dense"], "active"),
            node("LayerNormalization", &["active", "scale", "shift"], "normal")
                .with_attribute("epsilon", Attribute::Float(1e-12)),
            node("Gemm", &["normal", "E", "b"], "logits").with_attribute("transB", transposed),
        ];
        let (dim, inner, vocabulary) = (parts.dim, parts.inner, parts.vocabulary);
        let shapes = [
            ("W", vec![inner, dim]),
            ("c", vec![inner]),
            ("scale", vec![inner]),
            ("shift", vec![inner]),
            ("E", vec![vocabulary, inner]),
            ("b", vec![vocabulary]),
        ];
        let weights = shapes.iter().zip(&parts.values);
        let weights = weights.map(|((name, shape), values)| Weights::new(name, shape, values)).collect();
        Self { nodes, weights, outputs: vec!["logits"] }
    }

    /// Replaces the node that has this output by other nodes.
    pub fn replace(mut self, output: &str, nodes: Vec<Node>) -> Self {
        let at = self.nodes.iter().position(|node| node.output == output).expect("a node");
        self.nodes.splice(at..=at, nodes);
        self
    }

    /// Adds weights, which replace existing weights of the same names.
    pub fn with_weights(mut self, weights: Vec<Weights>) -> Self {
        self.weights.retain(|old| weights.iter().all(|new| new.name != old.name));
        self.weights.extend(weights);
        self
    }

    /// Encodes the graph as a `ModelProto`.
    pub fn bytes(&self) -> Vec<u8> {
        let mut graph = Vec::new();
        self.nodes.iter().for_each(|node| put_bytes(&mut graph, 1, &node.bytes()));
        self.weights.iter().for_each(|weights| put_bytes(&mut graph, 5, &weights.bytes()));
        for output in &self.outputs {
            let mut value = Vec::new();
            put_bytes(&mut value, 1, output.as_bytes());
            put_bytes(&mut graph, 12, &value);
        }
        let mut model = Vec::new();
        // The field `ir_version`, the version of the format, which [`Head::open`] ignores.
        put_varint(&mut model, 1, 8);
        put_bytes(&mut model, 7, &graph);
        model
    }

    /// Writes the graph to a file.
    pub fn write(&self, path: &Path) {
        std::fs::write(path, self.bytes()).expect("written");
    }
}

/// Writes a graph to a model folder and opens its head.
pub fn open_head(graph: &Graph) -> Result<Head, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    graph.write(&folder.path().join("model.onnx"));
    Head::open(folder.path())
}

/// Writes a field that is a string, bytes or a message.
fn put_bytes(message: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(message, field << 3 | 2);
    varint(message, bytes.len() as u64);
    message.extend(bytes);
}

/// Writes a field that is a varint.
fn put_varint(message: &mut Vec<u8>, field: u64, value: u64) {
    varint(message, field << 3);
    varint(message, value);
}

/// Appends a varint.
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
