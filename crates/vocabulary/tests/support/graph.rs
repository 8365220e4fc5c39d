//! Writes ONNX files byte by byte, with the fields of onnx.proto that the graphs of heads need.

use std::path::Path;

use vocabulary::{Error, Head};

use super::Parts;

/// A node: its operation, its inputs and its only output.
#[derive(Clone)]
pub struct Node {
    pub op: &'static str,
    pub inputs: Vec<&'static str>,
    pub output: &'static str,
    pub settings: Vec<(&'static str, Setting)>,
}

#[derive(Clone)]
pub enum Setting {
    Float(f32),
    Integer(i64),
    Text(&'static str),
    Numbers(Vec<i64>),
}

/// A tensor: its name, data type and shape, and the fields with its values.
#[derive(Clone)]
pub struct Weights {
    pub name: &'static str,
    pub kind: u64,
    pub shape: Vec<u64>,
    pub data: Vec<u8>,
}

#[derive(Clone)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub weights: Vec<Weights>,
    pub outputs: Vec<&'static str>,
}

pub fn node(op: &'static str, inputs: &[&'static str], output: &'static str) -> Node {
    Node { op, inputs: inputs.to_vec(), output, settings: Vec::new() }
}

impl Node {
    pub fn with(mut self, name: &'static str, setting: Setting) -> Self {
        self.settings.push((name, setting));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.inputs.iter().for_each(|input| put(&mut bytes, 1, input.as_bytes()));
        put(&mut bytes, 2, self.output.as_bytes());
        put(&mut bytes, 3, format!("make {}", self.output).as_bytes());
        let (domain, op) = self.op.split_once("::").unwrap_or(("", self.op));
        put(&mut bytes, 4, op.as_bytes());
        put(&mut bytes, 7, domain.as_bytes());
        for (name, setting) in &self.settings {
            let mut attribute = Vec::new();
            put(&mut attribute, 1, name.as_bytes());
            match setting {
                Setting::Float(value) => {
                    attribute.push(2 << 3 | 5);
                    attribute.extend(value.to_le_bytes());
                }
                Setting::Integer(value) => number(&mut attribute, 3, *value as u64),
                Setting::Text(text) => put(&mut attribute, 4, text.as_bytes()),
                Setting::Numbers(values) => {
                    values.iter().for_each(|&value| number(&mut attribute, 8, value as u64));
                }
            }
            put(&mut bytes, 5, &attribute);
        }
        bytes
    }
}

impl Weights {
    /// Values of type FLOAT as raw bytes.
    pub fn new(name: &'static str, shape: &[usize], values: &[f32]) -> Self {
        Self::raw(name, 1, shape, bytemuck::cast_slice(values))
    }

    pub fn raw(name: &'static str, kind: u64, shape: &[usize], bytes: &[u8]) -> Self {
        let mut data = Vec::new();
        put(&mut data, 9, bytes);
        Self { name, kind, shape: shape.iter().map(|&size| size as u64).collect(), data }
    }

    /// Values as varints, in the field for integers of up to 32 bits.
    pub fn whole(name: &'static str, kind: u64, shape: &[usize], values: &[i64]) -> Self {
        let mut packed = Vec::new();
        values.iter().for_each(|&value| varint(&mut packed, value as u64));
        let mut data = Vec::new();
        put(&mut data, 5, &packed);
        Self { data, ..Self::raw(name, kind, shape, &[]) }
    }

    /// Values of type FLOAT in another file.
    pub fn outside(name: &'static str, shape: &[usize], entries: &[(&str, &str)]) -> Self {
        let mut data = Vec::new();
        for (key, value) in entries {
            let mut entry = Vec::new();
            put(&mut entry, 1, key.as_bytes());
            put(&mut entry, 2, value.as_bytes());
            put(&mut data, 13, &entry);
        }
        number(&mut data, 14, 1);
        Self { data, ..Self::raw(name, 1, shape, &[]) }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.shape.iter().for_each(|&size| number(&mut bytes, 1, size));
        number(&mut bytes, 2, self.kind);
        put(&mut bytes, 8, self.name.as_bytes());
        bytes.extend(&self.data);
        bytes
    }
}

impl Graph {
    /// The simplest graph of a head: Gemm, Gelu, LayerNormalization, Gemm, each with the weights as checkpoints have them.
    pub fn of(parts: &Parts) -> Self {
        let turned = Setting::Integer(1);
        let nodes = vec![
            node("Gemm", &["vectors", "W", "c"], "dense").with("transB", turned.clone()),
            node("Gelu", &["dense"], "active"),
            node("LayerNormalization", &["active", "scale", "shift"], "normal")
                .with("epsilon", Setting::Float(1e-12)),
            node("Gemm", &["normal", "E", "b"], "logits").with("transB", turned),
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

    /// Replaces the node with this output by other nodes.
    pub fn with(mut self, output: &str, nodes: Vec<Node>) -> Self {
        let at = self.nodes.iter().position(|node| node.output == output).expect("a node");
        self.nodes.splice(at..=at, nodes);
        self
    }

    /// Adds weights, which replace weights of the same name.
    pub fn and(mut self, weights: Vec<Weights>) -> Self {
        self.weights.retain(|old| weights.iter().all(|new| new.name != old.name));
        self.weights.extend(weights);
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut graph = Vec::new();
        self.nodes.iter().for_each(|node| put(&mut graph, 1, &node.bytes()));
        self.weights.iter().for_each(|weights| put(&mut graph, 5, &weights.bytes()));
        for output in &self.outputs {
            let mut value = Vec::new();
            put(&mut value, 1, output.as_bytes());
            put(&mut graph, 12, &value);
        }
        let mut model = Vec::new();
        number(&mut model, 1, 8);
        put(&mut model, 7, &graph);
        model
    }

    pub fn write(&self, path: &Path) {
        std::fs::write(path, self.bytes()).expect("written");
    }
}

/// Opens the head of a graph.
pub fn opened(graph: &Graph) -> Result<Head, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    graph.write(&folder.path().join("model.onnx"));
    Head::open(folder.path())
}

/// Writes a field of bytes.
fn put(message: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(message, field << 3 | 2);
    varint(message, bytes.len() as u64);
    message.extend(bytes);
}

/// Writes a field with a varint.
fn number(message: &mut Vec<u8>, field: u64, value: u64) {
    varint(message, field << 3);
    varint(message, value);
}

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
