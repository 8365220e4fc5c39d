//! The graph of an ONNX file, without the values of its weights. [`Graph::read`] decodes the messages `ModelProto`,
//! `GraphProto`, `NodeProto` and `AttributeProto` of onnx.proto, where the field numbers below are defined.

use std::collections::HashMap;
use std::ops::Range;

use super::protobuf::{Field, ProtobufFile};
use super::tensor::TensorInfo;
use crate::Error;
use crate::head::tensor::Tensor;

/// The nodes of a graph, and the values between them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    /// The weights, by name.
    pub initializers: HashMap<String, TensorInfo>,
    /// Names of the graph's outputs.
    pub outputs: Vec<String>,
    /// For each value, the position in `nodes` of the node that produces it.
    producers: HashMap<String, usize>,
}

/// A node: an operator with its inputs and outputs.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub name: String,
    /// Name of the operator, prefixed with its domain unless it is an operator of ONNX or of ONNX Runtime.
    pub op: String,
    /// Names of the input values; empty for an optional input that is missing.
    pub inputs: Vec<String>,
    /// Names of the output values.
    pub outputs: Vec<String>,
    attributes: HashMap<String, Attribute>,
}

/// An attribute of a node.
#[derive(Debug)]
pub(super) enum Attribute {
    Float(f32),
    Integer(i64),
    Text(String),
    Tensor(TensorInfo),
    /// A list of floats or of integers.
    Numbers(Vec<f32>),
}

impl Graph {
    /// Reads the graph, but not the values of its tensors.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] if the file is damaged or has no graph.
    pub fn read(file: &mut ProtobufFile) -> Result<Self, Error> {
        let mut graph = Self::default();
        let mut model = file.whole();
        let mut found = false;
        while let Some(field) = file.field(&mut model)? {
            // ModelProto.graph
            if field.number == 7 {
                graph.decode(file, field.range)?;
                found = true;
            }
        }
        if !found {
            return Err(Error::format(file.path(), "an ONNX file with a graph", "a file without one"));
        }
        Ok(graph)
    }

    /// Returns the node that produces a value.
    pub fn producer(&self, value: &str) -> Option<&Node> {
        self.producers.get(value).map(|&at| &self.nodes[at])
    }

    /// Returns all tensors of the graph: initializers and constants.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorInfo> {
        let constants = self.nodes.iter().flat_map(|node| node.attributes.values());
        let constants = constants.filter_map(|attribute| match attribute {
            Attribute::Tensor(tensor) => Some(tensor),
            _ => None,
        });
        self.initializers.values().chain(constants)
    }

    /// Decodes a `GraphProto`: its fields node (1), initializer (5) and output (12).
    fn decode(&mut self, file: &mut ProtobufFile, mut message: Range<u64>) -> Result<(), Error> {
        while let Some(field) = file.field(&mut message)? {
            match field.number {
                1 => {
                    let node = Node::read(file, field.range)?;
                    for output in node.outputs.iter().filter(|output| !output.is_empty()) {
                        self.producers.insert(output.clone(), self.nodes.len());
                    }
                    self.nodes.push(node);
                }
                5 => {
                    let tensor = TensorInfo::read(file, field.range)?;
                    self.initializers.insert(tensor.name.clone(), tensor);
                }
                12 => {
                    let mut output = field.range;
                    while let Some(field) = file.field(&mut output)? {
                        if field.number == 1 {
                            self.outputs.push(file.text(&field.range)?);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Node {
    /// Returns an integer attribute; `default` if the node does not have it.
    pub fn integer(&self, name: &str, default: i64) -> i64 {
        match self.attributes.get(name) {
            Some(&Attribute::Integer(value)) => value,
            _ => default,
        }
    }

    /// Returns a float attribute; `default` if the node does not have it.
    pub fn float(&self, name: &str, default: f32) -> f32 {
        match self.attributes.get(name) {
            Some(&Attribute::Float(value)) => value,
            _ => default,
        }
    }

    /// Returns a string attribute; empty if the node does not have it.
    pub fn text(&self, name: &str) -> &str {
        match self.attributes.get(name) {
            Some(Attribute::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns an attribute that is a list of numbers.
    pub fn numbers(&self, name: &str) -> Option<&[f32]> {
        match self.attributes.get(name) {
            Some(Attribute::Numbers(numbers)) => Some(numbers),
            _ => None,
        }
    }

    /// Returns the tensor of a Constant node, which may store it in any of several attributes.
    pub fn constant(&self, file: &mut ProtobufFile) -> Result<Option<Tensor>, Error> {
        let get = |name: &str| self.attributes.get(name);
        let attribute = get("value")
            .or_else(|| get("value_float"))
            .or_else(|| get("value_int"))
            .or_else(|| get("value_floats"))
            .or_else(|| get("value_ints"));
        Ok(match attribute {
            Some(Attribute::Tensor(tensor)) => Some(tensor.load(file)?),
            Some(&Attribute::Float(value)) => Some(Tensor { shape: vec![], values: vec![value] }),
            Some(&Attribute::Integer(value)) => Some(Tensor { shape: vec![], values: vec![value as f32] }),
            Some(Attribute::Numbers(values)) => {
                Some(Tensor { shape: vec![values.len()], values: values.clone() })
            }
            Some(Attribute::Text(_)) | None => None,
        })
    }

    /// Returns the name of the input at a position, if the node has it.
    pub fn input(&self, at: usize) -> Option<&str> {
        self.inputs.get(at).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Decodes a `NodeProto`: its fields input (1), output (2), name (3), `op_type` (4), attribute (5) and domain (7).
    fn read(file: &mut ProtobufFile, mut message: Range<u64>) -> Result<Self, Error> {
        let mut node = Self::default();
        let mut domain = String::new();
        while let Some(field) = file.field(&mut message)? {
            match field.number {
                1 => node.inputs.push(file.text(&field.range)?),
                2 => node.outputs.push(file.text(&field.range)?),
                3 => node.name = file.text(&field.range)?,
                4 => node.op = file.text(&field.range)?,
                5 => {
                    if let Some((name, attribute)) = Attribute::read(file, field.range)? {
                        node.attributes.insert(name, attribute);
                    }
                }
                7 => domain = file.text(&field.range)?,
                _ => {}
            }
        }
        if !["", "ai.onnx", "com.microsoft"].contains(&domain.as_str()) {
            node.op = format!("{domain}.{}", node.op);
        }
        if node.name.is_empty() {
            // Names are optional. Outputs are unique, so they serve as names in error messages.
            node.name = node.outputs.first().cloned().unwrap_or_default();
        }
        Ok(node)
    }
}

impl Attribute {
    /// Decodes an `AttributeProto`: its fields name (1), f (2), i (3), s (4), t (5), floats (7) and ints (8). Returns
    /// the attribute's name and value. Returns none for attributes of other types, which no part of a head needs.
    fn read(file: &mut ProtobufFile, mut message: Range<u64>) -> Result<Option<(String, Self)>, Error> {
        let (mut name, mut value) = (String::new(), None);
        let mut numbers = Vec::new();
        while let Some(field) = file.field(&mut message)? {
            match field.number {
                1 => name = file.text(&field.range)?,
                2 => value = Some(Self::Float(float(file, &field)?)),
                3 => value = field.value.map(|value| Self::Integer(value as i64)),
                // No part of a head needs a string that is not UTF-8, so such an attribute is skipped.
                4 => value = file.text(&field.range).ok().map(Self::Text),
                5 => value = Some(Self::Tensor(TensorInfo::read(file, field.range)?)),
                7 => {
                    let mut bytes = [0; 4];
                    for at in field.range.clone().step_by(4).filter(|at| at + 4 <= field.range.end) {
                        file.read(at, &mut bytes)?;
                        numbers.push(f32::from_le_bytes(bytes));
                    }
                }
                8 => numbers.extend(file.integers(field)?.into_iter().map(|number| number as f32)),
                _ => {}
            }
        }
        if !numbers.is_empty() {
            value = Some(Self::Numbers(numbers));
        }
        Ok(value.map(|value| (name, value)))
    }
}

/// Returns the value of a float field.
fn float(file: &mut ProtobufFile, field: &Field) -> Result<f32, Error> {
    if field.range.end - field.range.start != 4 || field.value.is_some() {
        return Err(file.damaged(format!("a float at byte {} that does not have 4 bytes", field.range.start)));
    }
    let mut bytes = [0; 4];
    file.read(field.range.start, &mut bytes)?;
    Ok(f32::from_le_bytes(bytes))
}
