//! Writes weights as ONNX graphs: [`write`].

use transformer::onnx::format::{DataType, GraphProto, ModelProto, OperatorSetIdProto};
use transformer::weights::{Embeddings, Head, Layer, Linear, Matrix, Norm, Table, TableValues, Weights};

use crate::forms::{ActivationForm, ColumnForm, Forms, LinearForm, PositionForm, TableForm};
use crate::writer::{Writer, float, int, text, value_info};

/// Writes a model.
pub fn write(weights: &Weights, forms: Forms) -> ModelProto {
    let mut writer = Writer { graph: GraphProto::default(), forms };
    let types = weights.embeddings.has_type_input.then_some("token_type_ids");
    for name in ["input_ids", "attention_mask"].into_iter().chain(types) {
        writer.graph.input.push(value_info(name, DataType::Int64));
    }
    let mut hidden = writer.embeddings(&weights.embeddings);
    let mask = writer.mask();
    for layer in &weights.layers {
        hidden = writer.layer(layer, &hidden, mask.as_deref());
    }
    for output in &weights.outputs {
        let value = writer.head(&output.head, &hidden);
        writer.push("Identity", &[&value], &output.name, Vec::new());
        writer.graph.output.push(value_info(&output.name, DataType::Float));
    }
    let standard = OperatorSetIdProto { domain: String::new(), version: Some(20) };
    ModelProto {
        ir_version: Some(8),
        opset_import: vec![standard],
        graph: Some(writer.graph),
        ..ModelProto::default()
    }
}

impl Writer {
    fn embeddings(&mut self, embeddings: &Embeddings) -> String {
        let words = self.lookup(&embeddings.words, "input_ids");
        let first = embeddings.first_position as i64;
        let positions = match self.forms.positions {
            PositionForm::Lookup | PositionForm::Skipping => {
                let skipped = i64::from(self.forms.positions == PositionForm::Skipping);
                let count = embeddings.positions.rows as i64;
                let all: Vec<i64> =
                    (first..count).map(|row| if row == first { row } else { row + skipped }).collect();
                let all = self.ints(&all);
                let indices = self.sliced(&all, 0);
                self.lookup(&embeddings.positions, &indices)
            }
            PositionForm::Slice => {
                let TableValues::F32(values) = &embeddings.positions.values else {
                    panic!("a table of floats")
                };
                let table = self.floats(&[embeddings.positions.rows, embeddings.positions.dim], values);
                self.sliced(&table, first)
            }
            PositionForm::CountedTokens => {
                let (axis, first) = (self.int(1), self.int(first - 1));
                let counts = self.node("CumSum", &["attention_mask", &axis]);
                let counts = self.node("Mul", &[&counts, "attention_mask"]);
                let indices = self.node("Add", &[&counts, &first]);
                self.lookup(&embeddings.positions, &indices)
            }
        };
        let mut sum = self.node("Add", &[&positions, &words]);
        if let Some(types) = &embeddings.types {
            let rows = if embeddings.has_type_input {
                self.lookup(types, "token_type_ids")
            } else {
                let zero = self.int(0);
                let zeros = self.node("Mul", &["input_ids", &zero]);
                let shape = self.node("Shape", &[&zeros]);
                let zeros = self.node("ConstantOfShape", &[&shape]);
                let zeros = self.with("Cast", &[&zeros], vec![int("to", DataType::Int64 as i64)]);
                self.lookup(types, &zeros)
            };
            sum = self.node("Add", &[&rows, &sum]);
        }
        self.norm(&embeddings.norm, &sum)
    }

    /// The slice of a constant from `first`, as long as the texts.
    fn sliced(&mut self, constant: &str, first: i64) -> String {
        let length = self.length();
        let (start, axis) = (self.ints(&[first]), self.ints(&[0]));
        let end = self.node("Add", &[&length, &start]);
        self.node("Slice", &[constant, &start, &end, &axis])
    }

    fn lookup(&mut self, table: &Table, indices: &str) -> String {
        let dims = [table.rows, table.dim];
        match &table.values {
            TableValues::F32(values) => {
                let table = self.floats(&dims, values);
                self.node("Gather", &[&table, indices])
            }
            TableValues::U8 { bytes, scale, zero } => {
                let (data_type, change) = match self.forms.table {
                    TableForm::Unsigned => (DataType::Uint8, 0),
                    TableForm::Signed => (DataType::Int8, 128),
                };
                let bytes = bytes.iter().map(|byte| byte.wrapping_sub(change)).collect();
                let table = self.constant(data_type, &dims, bytes);
                let zero = self.constant(data_type, &[], vec![zero.wrapping_sub(change)]);
                let scale = self.float(*scale);
                let rows = self.node("Gather", &[&table, indices]);
                self.node("DequantizeLinear", &[&rows, &scale, &zero])
            }
        }
    }

    fn norm(&mut self, norm: &Norm, value: &str) -> String {
        let weight = self.floats(&[norm.weight.len()], &norm.weight);
        let bias = self.floats(&[norm.bias.len()], &norm.bias);
        let attributes = vec![float("epsilon", norm.epsilon), int("axis", -1)];
        self.with("LayerNormalization", &[value, &weight, &bias], attributes)
    }

    pub fn linear(&mut self, linear: &Linear, value: &str) -> String {
        let dims = [linear.inputs, linear.outputs];
        let bias = self.floats(&[linear.outputs], &linear.bias);
        match &linear.weights {
            Matrix::F32(values) if self.forms.linear == LinearForm::Gemm => {
                let rows = self.reshape(value, &[-1, linear.inputs as i64]);
                let transposed: Vec<f32> = (0..linear.outputs)
                    .flat_map(|column| values.iter().skip(column).step_by(linear.outputs).copied())
                    .collect();
                let weights = self.floats(&[linear.outputs, linear.inputs], &transposed);
                let rows = self.with("Gemm", &[&rows, &weights, &bias], vec![int("transB", 1)]);
                // Restores the axes of the batch and the sequence.
                let shape = self.node("Shape", &[value]);
                let (start, end, columns) =
                    (self.ints(&[0]), self.ints(&[-1]), self.ints(&[linear.outputs as i64]));
                let outer = self.node("Slice", &[&shape, &start, &end]);
                let shape = self.with("Concat", &[&outer, &columns], vec![int("axis", 0)]);
                self.node("Reshape", &[&rows, &shape])
            }
            Matrix::F32(values) => {
                let weights = self.floats(&dims, values);
                let product = self.node("MatMul", &[value, &weights]);
                self.node("Add", &[&bias, &product])
            }
            Matrix::I8 { bytes, scales } => {
                let (data_type, zero) = match self.forms.linear {
                    LinearForm::Unsigned(zero) => (DataType::Uint8, zero),
                    LinearForm::ShiftedByOne => (DataType::Int8, 1),
                    _ => (DataType::Int8, 0),
                };
                let bytes = bytes.iter().map(|byte| byte.cast_unsigned().wrapping_add(zero)).collect();
                let weights = self.constant(data_type, &dims, bytes);
                let zeros = self.constant(data_type, &[linear.outputs], vec![zero; linear.outputs]);
                let scales = self.floats(&[linear.outputs], scales);
                let quantized = self.node("DynamicQuantizeLinear", &[value]);
                let outputs = [quantized.clone(), format!("{quantized}_scale"), format!("{quantized}_zero")];
                let scale = outputs[1].clone();
                let zero = outputs[2].clone();
                self.graph.node.last_mut().expect("a node").output = outputs.into();
                let product = self.node("MatMulInteger", &[&quantized, &weights, &zero, &zeros]);
                let product = self.with("Cast", &[&product], vec![int("to", DataType::Float as i64)]);
                let scales = self.node("Mul", &[&scale, &scales]);
                let product = self.node("Mul", &[&product, &scales]);
                self.node("Add", &[&product, &bias])
            }
        }
    }

    fn layer(&mut self, layer: &Layer, hidden: &str, mask: Option<&str>) -> String {
        let context = self.attention(layer, hidden, mask);
        let output = self.linear(&layer.attention_output, &context);
        let sum = self.node("Add", &[&output, hidden]);
        let hidden = self.norm(&layer.attention_norm, &sum);
        let intermediate = self.linear(&layer.intermediate, &hidden);
        let activation = self.activation(&intermediate);
        let output = self.linear(&layer.output, &activation);
        let sum = self.node("Add", &[&hidden, &output]);
        self.norm(&layer.output_norm, &sum)
    }

    fn activation(&mut self, value: &str) -> String {
        let one = self.float(1.0);
        match self.forms.activation {
            ActivationForm::Factors => {
                let half = self.multiply(value, 0.5);
                let argument = self.multiply(value, std::f32::consts::FRAC_1_SQRT_2);
                let erf = self.node("Erf", &[&argument]);
                let sum = self.node("Add", &[&one, &erf]);
                self.node("Mul", &[&half, &sum])
            }
            ActivationForm::DividedArgument => {
                let root = self.float(std::f32::consts::SQRT_2);
                let argument = self.node("Div", &[value, &root]);
                let erf = self.node("Erf", &[&argument]);
                let sum = self.node("Add", &[&erf, &one]);
                let product = self.node("Mul", &[value, &sum]);
                self.multiply(&product, 0.5)
            }
            ActivationForm::Operator => self.node("Gelu", &[value]),
            ActivationForm::Approximation => self.with("Gelu", &[value], vec![text("approximate", "tanh")]),
            ActivationForm::Relu => self.node("Relu", &[value]),
        }
    }

    fn head(&mut self, head: &Head, hidden: &str) -> String {
        match head {
            Head::HiddenStates => hidden.to_owned(),
            Head::FirstToken => self.first_token(hidden),
            Head::TokenLogits { linear, column } => {
                let logits = self.linear(linear, hidden);
                self.column(&logits, *column, linear.outputs, 2)
            }
            Head::FirstTokenLogits { linear, column } => {
                let token = self.first_token(hidden);
                let logits = self.linear(linear, &token);
                self.column(&logits, *column, linear.outputs, 1)
            }
            Head::Pooler(linear) => {
                let token = self.first_token(hidden);
                let pooled = self.linear(linear, &token);
                self.node("Tanh", &[&pooled])
            }
        }
    }

    fn first_token(&mut self, hidden: &str) -> String {
        let index = self.int(0);
        self.with("Gather", &[hidden, &index], vec![int("axis", 1)])
    }

    fn column(&mut self, value: &str, column: usize, count: usize, axis: i64) -> String {
        let axes = self.ints(&[axis]);
        match self.forms.column {
            ColumnForm::Gather => {
                let index = self.int(column as i64);
                self.with("Gather", &[value, &index], vec![int("axis", axis)])
            }
            ColumnForm::Split => {
                let first =
                    self.with("Split", &[value], vec![int("axis", axis), int("num_outputs", count as i64)]);
                let part =
                    |number: usize| if number == 0 { first.clone() } else { format!("{first}_{number}") };
                self.graph.node.last_mut().expect("a node").output = (0..count).map(part).collect();
                self.node("Squeeze", &[&part(column), &axes])
            }
            ColumnForm::Slice => {
                // Columns are counted from the end.
                let start = self.ints(&[column as i64 - count as i64]);
                let end = self.ints(&[if column + 1 == count { i64::MAX } else { (column + 1) as i64 }]);
                let part = self.node("Slice", &[value, &start, &end, &axes]);
                self.node("Squeeze", &[&part, &axes])
            }
        }
    }
}
