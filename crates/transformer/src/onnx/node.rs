//! The use of an operator, with decoded attributes: [`Node`].

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use super::error::Error;
use super::format::{AttributeProto, AttributeType};
use super::tensor::{Data, Tensor};
use super::value::ValueId;

/// The use of an operator.
#[derive(Debug)]
pub(super) struct Node {
    name: String,
    /// The operator. The operators of other sets than the standard one have the name of the set as a prefix.
    pub op: String,
    /// The inputs. Optional ones may be missing.
    pub inputs: Vec<Option<ValueId>>,
    /// The outputs.
    pub outputs: Vec<ValueId>,
    attributes: HashMap<String, Attribute>,
}

/// The value of an attribute.
#[derive(Debug)]
enum Attribute {
    Float(f32),
    Int(i64),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Text(Vec<u8>),
    Tensor(Rc<Tensor>),
    Other,
}

impl Node {
    /// Decodes a node of the file `path` whose operator and inputs are resolved. Its outputs are not.
    pub fn decode(
        op: String,
        inputs: Vec<Option<ValueId>>,
        name: String,
        attributes: Vec<AttributeProto>,
        path: &Path,
    ) -> Result<Self, Error> {
        let attributes = attributes
            .into_iter()
            .map(|attribute| decode_attribute(attribute, path))
            .collect::<Result<_, _>>()?;
        Ok(Self { name, op, inputs, outputs: Vec::new(), attributes })
    }

    /// The input at a position, unless it is missing.
    pub fn input(&self, index: usize) -> Option<ValueId> {
        self.inputs.get(index).copied().flatten()
    }

    /// An attribute that is an integer.
    pub fn int(&self, name: &str) -> Option<i64> {
        if let Some(Attribute::Int(value)) = self.attributes.get(name) { Some(*value) } else { None }
    }

    /// An attribute that is a float.
    pub fn float(&self, name: &str) -> Option<f32> {
        if let Some(Attribute::Float(value)) = self.attributes.get(name) { Some(*value) } else { None }
    }

    /// An attribute that is a list of integers.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        if let Some(Attribute::Ints(values)) = self.attributes.get(name) { Some(values) } else { None }
    }

    /// An attribute that is a list of floats.
    fn floats(&self, name: &str) -> Option<&[f32]> {
        if let Some(Attribute::Floats(values)) = self.attributes.get(name) { Some(values) } else { None }
    }

    /// An attribute that is a string.
    pub fn text(&self, name: &str) -> Option<&[u8]> {
        if let Some(Attribute::Text(text)) = self.attributes.get(name) { Some(text) } else { None }
    }

    /// An attribute that is a tensor.
    pub fn tensor(&self, name: &str) -> Option<&Rc<Tensor>> {
        if let Some(Attribute::Tensor(tensor)) = self.attributes.get(name) { Some(tensor) } else { None }
    }

    /// The tensor of a node `Constant`.
    pub fn constant(&self) -> Option<Rc<Tensor>> {
        if let Some(tensor) = self.tensor("value") {
            return Some(Rc::clone(tensor));
        }
        let tensor = if let Some(value) = self.float("value_float") {
            Tensor { shape: Vec::new(), data: Data::F32(vec![value]) }
        } else if let Some(value) = self.int("value_int") {
            Tensor { shape: Vec::new(), data: Data::I64(vec![value]) }
        } else if let Some(values) = self.floats("value_floats") {
            Tensor { shape: vec![values.len()], data: Data::F32(values.to_vec()) }
        } else {
            Tensor::integers(self.ints("value_ints")?.to_vec())
        };
        Some(Rc::new(tensor))
    }

    /// Describes the node, for an error message. Nodes without a name are named after their output.
    pub fn describe(&self, output: &str) -> String {
        let name = if self.name.is_empty() { output } else { &self.name };
        format!("node `{name}` ({})", self.op)
    }
}

/// The name and value of an attribute. The fields decide, since old files have no type.
fn decode_attribute(proto: AttributeProto, path: &Path) -> Result<(String, Attribute), Error> {
    let value = if let Some(tensor) = proto.t {
        Tensor::decode(tensor, path)?.map_or(Attribute::Other, |tensor| Attribute::Tensor(Rc::new(tensor)))
    } else if proto.g.is_some() || !proto.graphs.is_empty() {
        Attribute::Other
    } else if !proto.ints.is_empty() {
        Attribute::Ints(proto.ints)
    } else if !proto.floats.is_empty() {
        Attribute::Floats(proto.floats)
    } else {
        use AttributeType as Type;
        match (proto.r#type.and_then(|kind| Type::try_from(kind).ok()), proto.f, proto.i, proto.s) {
            (Some(Type::Ints), ..) => Attribute::Ints(Vec::new()),
            // Zeros may be omitted.
            (Some(Type::Float), value, ..) => Attribute::Float(value.unwrap_or_default()),
            (Some(Type::Int), _, value, _) => Attribute::Int(value.unwrap_or_default()),
            (Some(Type::String), _, _, text) => Attribute::Text(text.unwrap_or_default()),
            (None, Some(value), ..) => Attribute::Float(value),
            (None, _, Some(value), _) => Attribute::Int(value),
            (None, _, _, Some(text)) => Attribute::Text(text),
            _ => Attribute::Other,
        }
    };
    Ok((proto.name, value))
}
