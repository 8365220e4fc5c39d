//! The graph of an ONNX file (`ModelProto`, `GraphProto`, `NodeProto`, `AttributeProto` of onnx.proto), without its weights.

use std::collections::HashMap;
use std::ops::Range;

use super::protobuf::{Field, ProtobufFile};
use super::tensor::TensorInfo;
use crate::Error;
use crate::head::tensor::Tensor;

/// Nodes and what flows between them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub initializers: HashMap<String, TensorInfo>,
    pub outputs: Vec<String>,
    /// The node that makes a value.
    producers: HashMap<String, usize>,
}

/// An operation.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub name: String,
    /// With its domain, unless that is ONNX's or the one of ONNX Runtime's own operations.
    pub op: String,
    /// Empty where an optional one is missing.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
    attributes: HashMap<String, Attribute>,
}

/// A setting of a node.
#[derive(Debug)]
pub(super) enum Attribute {
    Float(f32),
    Integer(i64),
    Text(String),
    Tensor(TensorInfo),
    /// A list of numbers, of either kind.
    Numbers(Vec<f32>),
}

impl Graph {
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] if the file is damaged or has no graph.
    pub fn read(source: &mut ProtobufFile) -> Result<Self, Error> {
        let mut graph = Self::default();
        let mut model = source.whole();
        let mut found = false;
        while let Some(field) = source.field(&mut model)? {
            if field.number == 7 {
                graph.add(source, field.range)?;
                found = true;
            }
        }
        if !found {
            return Err(Error::format(source.path(), "an ONNX file with a graph", "none there"));
        }
        Ok(graph)
    }

    /// The node that makes a value.
    pub fn producer(&self, value: &str) -> Option<&Node> {
        self.producers.get(value).map(|&at| &self.nodes[at])
    }

    /// All tensors of the file.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorInfo> {
        let constants = self.nodes.iter().flat_map(|node| node.attributes.values());
        let constants = constants.filter_map(|attribute| match attribute {
            Attribute::Tensor(tensor) => Some(tensor),
            _ => None,
        });
        self.initializers.values().chain(constants)
    }

    fn add(&mut self, source: &mut ProtobufFile, mut message: Range<u64>) -> Result<(), Error> {
        while let Some(field) = source.field(&mut message)? {
            match field.number {
                1 => {
                    let node = Node::read(source, field.range)?;
                    for output in node.outputs.iter().filter(|output| !output.is_empty()) {
                        self.producers.insert(output.clone(), self.nodes.len());
                    }
                    self.nodes.push(node);
                }
                5 => {
                    let tensor = TensorInfo::read(source, field.range)?;
                    self.initializers.insert(tensor.name.clone(), tensor);
                }
                12 => {
                    let mut value = field.range;
                    while let Some(field) = source.field(&mut value)? {
                        if field.number == 1 {
                            self.outputs.push(source.text(&field.range)?);
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
    /// An attribute's whole number; `otherwise` if the node does not have it.
    pub fn integer(&self, name: &str, otherwise: i64) -> i64 {
        match self.attributes.get(name) {
            Some(&Attribute::Integer(value)) => value,
            _ => otherwise,
        }
    }

    /// An attribute's number; `otherwise` if the node does not have it.
    pub fn float(&self, name: &str, otherwise: f32) -> f32 {
        match self.attributes.get(name) {
            Some(&Attribute::Float(value)) => value,
            _ => otherwise,
        }
    }

    /// An attribute's text; empty if the node does not have it.
    pub fn text(&self, name: &str) -> &str {
        match self.attributes.get(name) {
            Some(Attribute::Text(text)) => text,
            _ => "",
        }
    }

    /// An attribute's list of numbers.
    pub fn numbers(&self, name: &str) -> Option<&[f32]> {
        match self.attributes.get(name) {
            Some(Attribute::Numbers(numbers)) => Some(numbers),
            _ => None,
        }
    }

    /// What a node of op Constant is of.
    pub fn constant(&self, source: &mut ProtobufFile) -> Result<Option<Tensor>, Error> {
        let of = |name: &str| self.attributes.get(name);
        let attribute = of("value")
            .or_else(|| of("value_float"))
            .or_else(|| of("value_int"))
            .or_else(|| of("value_floats"))
            .or_else(|| of("value_ints"));
        Ok(match attribute {
            Some(Attribute::Tensor(tensor)) => Some(tensor.load(source)?),
            Some(&Attribute::Float(value)) => Some(Tensor { shape: vec![], values: vec![value] }),
            Some(&Attribute::Integer(value)) => Some(Tensor { shape: vec![], values: vec![value as f32] }),
            Some(Attribute::Numbers(values)) => {
                Some(Tensor { shape: vec![values.len()], values: values.clone() })
            }
            Some(Attribute::Text(_)) | None => None,
        })
    }

    /// The input at a place, if the node has one there.
    pub fn input(&self, at: usize) -> Option<&str> {
        self.inputs.get(at).map(String::as_str).filter(|name| !name.is_empty())
    }

    fn read(source: &mut ProtobufFile, mut message: Range<u64>) -> Result<Self, Error> {
        let mut node = Self::default();
        let mut domain = String::new();
        while let Some(field) = source.field(&mut message)? {
            match field.number {
                1 => node.inputs.push(source.text(&field.range)?),
                2 => node.outputs.push(source.text(&field.range)?),
                3 => node.name = source.text(&field.range)?,
                4 => node.op = source.text(&field.range)?,
                5 => {
                    if let Some((name, attribute)) = Attribute::read(source, field.range)? {
                        node.attributes.insert(name, attribute);
                    }
                }
                7 => domain = source.text(&field.range)?,
                _ => {}
            }
        }
        if !["", "ai.onnx", "com.microsoft"].contains(&domain.as_str()) {
            node.op = format!("{domain}.{}", node.op);
        }
        if node.name.is_empty() {
            // Of those that have none, what they make tells them apart.
            node.name = node.outputs.first().cloned().unwrap_or_default();
        }
        Ok(node)
    }
}

impl Attribute {
    /// None for an attribute of a kind that no part of a head has.
    fn read(source: &mut ProtobufFile, mut message: Range<u64>) -> Result<Option<(String, Self)>, Error> {
        let (mut name, mut found) = (String::new(), None);
        let mut numbers = Vec::new();
        while let Some(field) = source.field(&mut message)? {
            match field.number {
                1 => name = source.text(&field.range)?,
                2 => found = Some(Self::Float(single(source, &field)?)),
                3 => found = field.value.map(|value| Self::Integer(value as i64)),
                // A text of another encoding is none of those that are looked at.
                4 => found = source.text(&field.range).ok().map(Self::Text),
                5 => found = Some(Self::Tensor(TensorInfo::read(source, field.range)?)),
                7 => {
                    let mut bytes = [0; 4];
                    for at in field.range.clone().step_by(4).filter(|at| at + 4 <= field.range.end) {
                        source.read(at, &mut bytes)?;
                        numbers.push(f32::from_le_bytes(bytes));
                    }
                }
                8 => numbers.extend(source.integers(field)?.into_iter().map(|number| number as f32)),
                _ => {}
            }
        }
        if !numbers.is_empty() {
            found = Some(Self::Numbers(numbers));
        }
        Ok(found.map(|found| (name, found)))
    }
}

fn single(source: &mut ProtobufFile, field: &Field) -> Result<f32, Error> {
    if field.range.end - field.range.start != 4 || field.value.is_some() {
        return Err(source.damaged(format!("a number at byte {} that is not of 4 bytes", field.range.start)));
    }
    let mut bytes = [0; 4];
    source.read(field.range.start, &mut bytes)?;
    Ok(f32::from_le_bytes(bytes))
}
