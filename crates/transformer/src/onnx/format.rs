//! The messages of the ONNX format (`onnx.proto`, IR version 8 and later) that describe a model for inference.
//!
//! The format is Protocol Buffers. Decoding skips fields that are missing here: functions, sparse tensors, quantization
//! annotations, and types other than tensors. Fields are optional where a reader distinguishes "missing" from zero.

use prost::{Message, Oneof};

/// A file: a graph, and the versions of the operators in it.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    /// The version of the format.
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    /// The versions of the operator sets.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// The program that wrote the file.
    #[prost(string, tag = "2")]
    pub producer_name: String,
    /// The version of that program.
    #[prost(string, tag = "3")]
    pub producer_version: String,
    /// A namespace for the name of the model.
    #[prost(string, tag = "4")]
    pub domain: String,
    /// The version of the model.
    #[prost(int64, optional, tag = "5")]
    pub model_version: Option<i64>,
    /// Documentation.
    #[prost(string, tag = "6")]
    pub doc_string: String,
    /// The computation.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// Further properties of the model.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// The version of one set of operators.
#[derive(Clone, PartialEq, Message)]
pub struct OperatorSetIdProto {
    /// The set: empty or `ai.onnx` for the standard operators.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// Its version.
    #[prost(int64, optional, tag = "2")]
    pub version: Option<i64>,
}

/// An entry of a map from strings to strings.
#[derive(Clone, PartialEq, Message)]
pub struct StringStringEntryProto {
    /// The key.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The value.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// A graph of nodes, which are in topological order.
#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    /// The nodes.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// The name of the graph.
    #[prost(string, tag = "2")]
    pub name: String,
    /// The constants.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// Documentation.
    #[prost(string, tag = "10")]
    pub doc_string: String,
    /// The inputs. Before IR version 4, these include the constants.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// The outputs.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// The types of other values.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoProto>,
}

/// The use of an operator.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// The names of the inputs. An empty name stands for an optional input that is missing.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// The names of the outputs.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// The name of the node, which may be empty.
    #[prost(string, tag = "3")]
    pub name: String,
    /// The operator.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// The operator set: empty or `ai.onnx` for the standard operators.
    #[prost(string, tag = "7")]
    pub domain: String,
    /// The attributes.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// Documentation.
    #[prost(string, tag = "6")]
    pub doc_string: String,
}

/// A constant parameter of a node. One field, which `type` names, has its value.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The type of the value: an [`AttributeType`].
    #[prost(enumeration = "AttributeType", optional, tag = "20")]
    pub r#type: Option<i32>,
    /// A float.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// A string in UTF-8.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    /// A tensor.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorProto>,
    /// A graph.
    #[prost(message, optional, tag = "6")]
    pub g: Option<GraphProto>,
    /// Floats.
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    /// Strings in UTF-8.
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub strings: Vec<Vec<u8>>,
    /// Tensors.
    #[prost(message, repeated, tag = "10")]
    pub tensors: Vec<TensorProto>,
    /// Graphs.
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphProto>,
}

/// The type of the value of an [`AttributeProto`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum AttributeType {
    /// No type.
    Undefined = 0,
    /// The field `f`.
    Float = 1,
    /// The field `i`.
    Int = 2,
    /// The field `s`.
    String = 3,
    /// The field `t`.
    Tensor = 4,
    /// The field `g`.
    Graph = 5,
    /// The field `floats`.
    Floats = 6,
    /// The field `ints`.
    Ints = 7,
    /// The field `strings`.
    Strings = 8,
    /// The field `tensors`.
    Tensors = 9,
    /// The field `graphs`.
    Graphs = 10,
}

/// A constant tensor. Its values are in `raw_data`, in the field for its type, or in another file.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// The sizes of the axes, outermost first.
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    /// The type of the values: a [`DataType`].
    #[prost(enumeration = "DataType", optional, tag = "2")]
    pub data_type: Option<i32>,
    /// Values of the type `Float`.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Values of the types `Int32`, `Uint8`, `Int8` and `Bool`, among others.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Values of the type `Int64`.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// The name.
    #[prost(string, tag = "8")]
    pub name: String,
    /// The values in row-major order, in little-endian byte order.
    #[prost(bytes = "vec", optional, tag = "9")]
    pub raw_data: Option<Vec<u8>>,
    /// Values of the type `Double`.
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    /// Documentation.
    #[prost(string, tag = "12")]
    pub doc_string: String,
    /// The place of the values in another file: the keys `location`, `offset` and `length`.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// Whether the values are in this message or in another file: a [`DataLocation`].
    #[prost(enumeration = "DataLocation", optional, tag = "14")]
    pub data_location: Option<i32>,
}

/// The type of the values of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum DataType {
    /// No type.
    Undefined = 0,
    /// 32-bit floats.
    Float = 1,
    /// Unsigned bytes.
    Uint8 = 2,
    /// Signed bytes.
    Int8 = 3,
    /// Unsigned 16-bit integers.
    Uint16 = 4,
    /// Signed 16-bit integers.
    Int16 = 5,
    /// Signed 32-bit integers.
    Int32 = 6,
    /// Signed 64-bit integers.
    Int64 = 7,
    /// Strings.
    String = 8,
    /// Booleans of one byte.
    Bool = 9,
    /// 16-bit floats (IEEE 754).
    Float16 = 10,
    /// 64-bit floats.
    Double = 11,
    /// Unsigned 32-bit integers.
    Uint32 = 12,
    /// Unsigned 64-bit integers.
    Uint64 = 13,
    /// 16-bit floats with 8 bits for the exponent.
    Bfloat16 = 16,
}

/// Where the values of a tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum DataLocation {
    /// In the tensor's message.
    Default = 0,
    /// In another file.
    External = 1,
}

/// The name and type of a value.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoProto {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
    /// Documentation.
    #[prost(string, tag = "3")]
    pub doc_string: String,
}

/// The type of a value. Types other than tensors are skipped.
#[derive(Clone, PartialEq, Message)]
pub struct TypeProto {
    /// A tensor.
    #[prost(message, optional, tag = "1")]
    pub tensor_type: Option<TensorTypeProto>,
}

/// The type of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorTypeProto {
    /// The type of the values: a [`DataType`].
    #[prost(enumeration = "DataType", optional, tag = "1")]
    pub elem_type: Option<i32>,
    /// The sizes of the axes.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// The sizes of the axes of a tensor, outermost first.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// The sizes.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// The size of an axis.
#[derive(Clone, PartialEq, Message)]
pub struct DimensionProto {
    /// The size; missing if the axis can have any size.
    #[prost(oneof = "Dimension", tags = "1, 2")]
    pub value: Option<Dimension>,
}

/// The size of an axis.
#[derive(Clone, PartialEq, Oneof)]
pub enum Dimension {
    /// A number.
    #[prost(int64, tag = "1")]
    Value(i64),
    /// A name for any size.
    #[prost(string, tag = "2")]
    Parameter(String),
}
