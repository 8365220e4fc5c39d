//! Writes a layer: self-attention and the feed-forward network.

use std::f32::consts::SQRT_2;

use super::builder::{Builder, float, int, ints};
use crate::weights::{Layer, Norm};

impl Builder {
    /// Adds a layer. `hidden` is its input, and `addends` are those of the scores. Returns its output.
    pub fn layer(&mut self, number: usize, layer: &Layer, hidden: &str, addends: &[String]) -> String {
        self.scope = format!("layer.{number}/attention");
        let context = self.attention(layer, hidden, addends);
        let output = self.linear("output", &layer.attention_output, &context);
        let sum = self.node("Add", &[&output, hidden]);
        let middle = self.norm("norm", &layer.attention_norm, &sum);

        self.scope = format!("layer.{number}/feed_forward");
        let intermediate = self.linear("intermediate", &layer.intermediate, &middle);
        let activation = self.gelu(&intermediate);
        let output = self.linear("output", &layer.output, &activation);
        let sum = self.node("Add", &[&output, &middle]);
        self.norm("norm", &layer.output_norm, &sum)
    }

    /// The combined heads of the attention, `[batch, sequence, dim]`.
    fn attention(&mut self, layer: &Layer, hidden: &str, addends: &[String]) -> String {
        let dim = layer.query.outputs;
        let split = self.ints(&[0, 0, layer.heads as i64, (dim / layer.heads) as i64]);
        // `order` permutes the axes batch, token, head and dimension.
        let heads = |builder: &mut Self, name, linear, order: [i64; 4]| {
            let value = builder.linear(name, linear, hidden);
            let value = builder.node("Reshape", &[&value, &split]);
            builder.with("Transpose", &[&value], vec![ints("perm", &order)])
        };
        let query = heads(self, "query", &layer.query, [0, 2, 1, 3]);
        let key = heads(self, "key", &layer.key, [0, 2, 3, 1]);
        let value = heads(self, "value", &layer.value, [0, 2, 1, 3]);
        let scores = self.node("MatMul", &[&query, &key]);
        let scale = self.float(layer.scale);
        let scores = self.node("Mul", &[&scores, &scale]);
        let scores = addends.iter().fold(scores, |scores, addend| self.node("Add", &[&scores, addend]));
        let weights = self.with("Softmax", &[&scores], vec![int("axis", -1)]);
        let context = self.node("MatMul", &[&weights, &value]);
        let context = self.with("Transpose", &[&context], vec![ints("perm", &[0, 2, 1, 3])]);
        let merged = self.ints(&[0, 0, dim as i64]);
        self.node("Reshape", &[&context, &merged])
    }

    /// GELU (Hendrycks and Gimpel, 2016): ½ · x · (1 + erf(x / √2)).
    fn gelu(&mut self, value: &str) -> String {
        let (root, one, half) = (self.float(SQRT_2), self.float(1.0), self.float(0.5));
        let argument = self.node("Div", &[value, &root]);
        let erf = self.node("Erf", &[&argument]);
        let sum = self.node("Add", &[&erf, &one]);
        let product = self.node("Mul", &[value, &sum]);
        self.node("Mul", &[&product, &half])
    }

    /// A layer normalization over the last axis.
    pub fn norm(&mut self, name: &str, norm: &Norm, value: &str) -> String {
        let weight = self.float_parameter(&format!("{name}.weight"), &[norm.weight.len()], &norm.weight);
        let bias = self.float_parameter(&format!("{name}.bias"), &[norm.bias.len()], &norm.bias);
        let attributes = vec![int("axis", -1), float("epsilon", norm.epsilon)];
        self.with("LayerNormalization", &[value, &weight, &bias], attributes)
    }
}
