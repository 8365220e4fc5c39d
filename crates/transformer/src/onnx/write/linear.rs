//! Writes linear functions, of floats or of bytes.

use super::super::format::DataType;
use super::builder::{Builder, int};
use crate::weights::{Linear, Matrix};

impl Builder {
    /// Adds a linear function of the last axis of a value.
    ///
    /// A matrix of bytes is multiplied as integers with the value, which is quantized at run time; all matrices that
    /// are multiplied with the value share its bytes.
    pub fn linear(&mut self, name: &str, linear: &Linear, value: &str) -> String {
        let shape = [linear.inputs, linear.outputs];
        let product = match &linear.weights {
            Matrix::F32(values) => {
                let weights = self.float_parameter(&format!("{name}.weight"), &shape, values);
                self.node("MatMul", &[value, &weights])
            }
            Matrix::I8 { bytes, scales } => {
                let bytes = bytes.iter().map(|byte| byte.cast_unsigned()).collect();
                let weights = self.parameter(&format!("{name}.weight"), DataType::Int8, &shape, bytes);
                let scales = self.float_parameter(&format!("{name}.weight_scale"), &[linear.outputs], scales);
                let zeros = vec![0; linear.outputs];
                let zero_points = format!("{name}.weight_zero_point");
                let zeros = self.parameter(&zero_points, DataType::Int8, &[linear.outputs], zeros);
                let [quantized, scale, zero] = self.dynamically_quantized(value);
                let product = self.node("MatMulInteger", &[&quantized, &weights, &zero, &zeros]);
                let product = self.with("Cast", &[&product], vec![int("to", DataType::Float as i64)]);
                let scales = self.node("Mul", &[&scale, &scales]);
                self.node("Mul", &[&product, &scales])
            }
        };
        let bias = self.float_parameter(&format!("{name}.bias"), &[linear.outputs], &linear.bias);
        self.node("Add", &[&product, &bias])
    }

    /// The bytes of a value, their scale and their zero point.
    fn dynamically_quantized(&mut self, value: &str) -> [String; 3] {
        if let Some(outputs) = self.quantized.get(value) {
            return outputs.clone();
        }
        let outputs = self.with_three_outputs("DynamicQuantizeLinear", value);
        self.quantized.insert(value.to_owned(), outputs.clone());
        outputs
    }
}
