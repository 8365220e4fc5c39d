//! A graph under construction: [`Writer`].

use transformer::onnx::format::{
    AttributeProto, AttributeType, DataType, GraphProto, NodeProto, TensorProto, TensorTypeProto, TypeProto,
    ValueInfoProto,
};

use crate::forms::Forms;

/// A graph under construction.
pub struct Writer {
    pub graph: GraphProto,
    pub forms: Forms,
}

impl Writer {
    pub fn push(&mut self, op: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) {
        self.graph.node.push(NodeProto {
            op_type: op.to_owned(),
            input: inputs.iter().map(|&name| name.to_owned()).collect(),
            output: vec![output.to_owned()],
            attribute,
            ..NodeProto::default()
        });
    }

    /// Adds a node, and returns the name of its output.
    pub fn with(&mut self, op: &str, inputs: &[&str], attributes: Vec<AttributeProto>) -> String {
        let output = format!("{op}_{}", self.graph.node.len());
        self.push(op, inputs, &output, attributes);
        output
    }

    pub fn node(&mut self, op: &str, inputs: &[&str]) -> String {
        self.with(op, inputs, Vec::new())
    }

    pub fn constant(&mut self, data_type: DataType, dims: &[usize], raw: Vec<u8>) -> String {
        let name = format!("constant_{}", self.graph.initializer.len());
        self.graph.initializer.push(TensorProto {
            name: name.clone(),
            dims: dims.iter().map(|&size| size as i64).collect(),
            data_type: Some(data_type as i32),
            raw_data: Some(raw),
            ..TensorProto::default()
        });
        name
    }

    pub fn floats(&mut self, dims: &[usize], values: &[f32]) -> String {
        self.constant(DataType::Float, dims, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    pub fn float(&mut self, value: f32) -> String {
        self.floats(&[], &[value])
    }

    pub fn ints(&mut self, values: &[i64]) -> String {
        let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(DataType::Int64, &[values.len()], raw)
    }

    pub fn int(&mut self, value: i64) -> String {
        self.constant(DataType::Int64, &[], value.to_le_bytes().to_vec())
    }

    pub fn reshape(&mut self, value: &str, shape: &[i64]) -> String {
        let shape = self.ints(shape);
        self.node("Reshape", &[value, &shape])
    }

    pub fn transpose(&mut self, value: &str, order: &[i64]) -> String {
        self.with("Transpose", &[value], vec![ints("perm", order)])
    }

    pub fn multiply(&mut self, value: &str, factor: f32) -> String {
        let factor = self.float(factor);
        self.node("Mul", &[value, &factor])
    }

    /// The number of tokens of a text, with padding, `[1]`.
    pub fn length(&mut self) -> String {
        let shape = self.node("Shape", &["input_ids"]);
        let index = self.ints(&[1]);
        self.node("Gather", &[&shape, &index])
    }
}

pub fn value_info(name: &str, data_type: DataType) -> ValueInfoProto {
    let tensor = TensorTypeProto { elem_type: Some(data_type as i32), shape: None };
    let kind = TypeProto { tensor_type: Some(tensor) };
    ValueInfoProto { name: name.to_owned(), r#type: Some(kind), ..ValueInfoProto::default() }
}

pub fn attribute(name: &str, kind: AttributeType) -> AttributeProto {
    AttributeProto { name: name.to_owned(), r#type: Some(kind as i32), ..AttributeProto::default() }
}

pub fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto { i: Some(value), ..attribute(name, AttributeType::Int) }
}

pub fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { ints: values.to_vec(), ..attribute(name, AttributeType::Ints) }
}

pub fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto { f: Some(value), ..attribute(name, AttributeType::Float) }
}

pub fn text(name: &str, value: &str) -> AttributeProto {
    AttributeProto { s: Some(value.as_bytes().to_vec()), ..attribute(name, AttributeType::String) }
}
