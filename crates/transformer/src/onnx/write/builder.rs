//! A graph under construction: [`Builder`].

use std::collections::HashMap;

use super::super::format::{
    AttributeProto, AttributeType, DataType, Dimension, DimensionProto, GraphProto, NodeProto, TensorProto,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};

/// A graph under construction. Values are identified by their names.
#[derive(Debug, Default)]
pub(super) struct Builder {
    graph: GraphProto,
    /// The name of the part of the model that is being written. The names of new values begin with it.
    pub scope: String,
    /// The names of small constants, by their types, shapes and bytes.
    constants: HashMap<(DataType, Vec<usize>, Vec<u8>), String>,
    /// The results of `DynamicQuantizeLinear` of each value: the bytes, their scale and their zero point.
    pub quantized: HashMap<String, [String; 3]>,
}

impl Builder {
    /// The complete graph.
    pub fn finish(mut self) -> GraphProto {
        self.graph.name = "passagekit".to_owned();
        self.graph
    }

    /// Whether a value has this name.
    pub fn is_defined(&self, name: &str) -> bool {
        let graph = &self.graph;
        graph.input.iter().any(|input| input.name == name)
            || graph.initializer.iter().any(|tensor| tensor.name == name)
            || graph.node.iter().any(|node| node.output.iter().any(|output| output == name))
    }

    /// Adds an input of the graph, `[batch, sequence]`.
    pub fn input(&mut self, name: &str) {
        let axes = ["batch", "sequence"].map(|axis| Dimension::Parameter(axis.to_owned()));
        self.graph.input.push(value_info(name, DataType::Int64, axes.into()));
    }

    /// States the shape of a value, `[batch, sequence, dim]`, so that ONNX Runtime fuses nodes that need equal shapes.
    pub fn state_shape(&mut self, value: &str, dim: usize) {
        let axes = ["batch", "sequence"].map(|axis| Dimension::Parameter(axis.to_owned()));
        let axes = axes.into_iter().chain([Dimension::Value(dim as i64)]).collect();
        self.graph.value_info.push(value_info(value, DataType::Float, axes));
    }

    /// Adds an output of the graph, which is a copy of a value.
    pub fn output(&mut self, name: &str, value: &str, axes: Vec<Dimension>) {
        self.push("Identity", &[value], vec![name.to_owned()], Vec::new());
        self.graph.output.push(value_info(name, DataType::Float, axes));
    }

    /// Adds a node with attributes and one output. Returns the output.
    pub fn with(&mut self, op: &str, inputs: &[&str], attributes: Vec<AttributeProto>) -> String {
        let output = self.value_name(op);
        self.push(op, inputs, vec![output.clone()], attributes);
        output
    }

    /// Adds a node with one output. Returns the output.
    pub fn node(&mut self, op: &str, inputs: &[&str]) -> String {
        self.with(op, inputs, Vec::new())
    }

    /// Adds a node with three outputs. Returns them.
    pub fn with_three_outputs(&mut self, op: &str, input: &str) -> [String; 3] {
        let name = self.value_name(op);
        let outputs = [name.clone(), format!("{name}_1"), format!("{name}_2")];
        self.push(op, &[input], outputs.clone().into(), Vec::new());
        outputs
    }

    /// A name for the output of the next node. The position of the node makes it unique.
    fn value_name(&self, op: &str) -> String {
        format!("/{}/{op}_{}", self.scope, self.graph.node.len())
    }

    fn push(&mut self, op: &str, inputs: &[&str], output: Vec<String>, attribute: Vec<AttributeProto>) {
        self.graph.node.push(NodeProto {
            name: self.value_name(op),
            op_type: op.to_owned(),
            input: inputs.iter().map(|&name| name.to_owned()).collect(),
            output,
            attribute,
            ..NodeProto::default()
        });
    }

    /// Adds a constant with the name of a parameter of the model.
    pub fn parameter(&mut self, name: &str, data_type: DataType, shape: &[usize], bytes: Vec<u8>) -> String {
        let name = format!("/{}/{name}/{}", self.scope, self.graph.initializer.len());
        self.push_constant(name, data_type, shape, bytes)
    }

    /// Adds a constant of floats with the name of a parameter of the model.
    pub fn float_parameter(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.parameter(name, DataType::Float, shape, bytes)
    }

    /// A constant float.
    pub fn float(&mut self, value: f32) -> String {
        self.constant(DataType::Float, &[], value.to_le_bytes().to_vec())
    }

    /// A constant integer.
    pub fn int(&mut self, value: i64) -> String {
        self.constant(DataType::Int64, &[], value.to_le_bytes().to_vec())
    }

    /// A constant vector of integers.
    pub fn ints(&mut self, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(DataType::Int64, &[values.len()], bytes)
    }

    /// A constant, which all nodes that use an equal one share.
    fn constant(&mut self, data_type: DataType, shape: &[usize], bytes: Vec<u8>) -> String {
        let key = (data_type, shape.to_vec(), bytes.clone());
        if let Some(name) = self.constants.get(&key) {
            return name.clone();
        }
        let name = format!("/constant/{}", self.graph.initializer.len());
        self.constants.insert(key, name.clone());
        self.push_constant(name, data_type, shape, bytes)
    }

    fn push_constant(
        &mut self,
        name: String,
        data_type: DataType,
        shape: &[usize],
        bytes: Vec<u8>,
    ) -> String {
        self.graph.initializer.push(TensorProto {
            name: name.clone(),
            dims: shape.iter().map(|&size| size as i64).collect(),
            data_type: Some(data_type as i32),
            raw_data: Some(bytes),
            ..TensorProto::default()
        });
        name
    }
}

/// The name, type and shape of an input or output.
fn value_info(name: &str, data_type: DataType, axes: Vec<Dimension>) -> ValueInfoProto {
    let dim = axes.into_iter().map(|axis| DimensionProto { value: Some(axis) }).collect();
    let tensor = TensorTypeProto { elem_type: Some(data_type as i32), shape: Some(TensorShapeProto { dim }) };
    let kind = TypeProto { tensor_type: Some(tensor) };
    ValueInfoProto { name: name.to_owned(), r#type: Some(kind), ..ValueInfoProto::default() }
}

fn attribute(name: &str, kind: AttributeType) -> AttributeProto {
    AttributeProto { name: name.to_owned(), r#type: Some(kind as i32), ..AttributeProto::default() }
}

/// An attribute that is an integer.
pub(super) fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto { i: Some(value), ..attribute(name, AttributeType::Int) }
}

/// An attribute that is a list of integers.
pub(super) fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { ints: values.to_vec(), ..attribute(name, AttributeType::Ints) }
}

/// An attribute that is a float.
pub(super) fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto { f: Some(value), ..attribute(name, AttributeType::Float) }
}
