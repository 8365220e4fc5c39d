//! Writes the terms that are added to the attention scores: relative position biases and the mask.

use super::super::format::DataType;
use super::builder::{Builder, int, ints};
use crate::weights::{RelativePositionBiases, Weights};

impl Builder {
    /// The terms that are added to the attention scores of all layers, in this order.
    pub fn score_addends(&mut self, weights: &Weights) -> Vec<String> {
        let max_tokens = weights.embeddings.max_tokens();
        let biases = weights.relative_position_biases.as_ref();
        let biases = biases.map(|biases| self.relative_position_biases(biases, max_tokens));
        biases.into_iter().chain([self.mask()]).collect()
    }

    /// The relative position biases, `[1, heads, sequence, sequence]`. The bucket of each difference of positions is a
    /// constant.
    fn relative_position_biases(&mut self, biases: &RelativePositionBiases, max_tokens: usize) -> String {
        self.scope = "relative_position_biases".to_owned();
        let last = max_tokens as isize - 1;
        let buckets: Vec<u8> = (-last..=last)
            .map(|difference| RelativePositionBiases::bucket(difference) as i64)
            .flat_map(i64::to_le_bytes)
            .collect();
        let buckets = self.parameter("buckets", DataType::Int64, &[2 * max_tokens - 1], buckets);
        let positions = self.position_numbers(max_tokens);
        let (first_axis, second_axis) = (self.ints(&[0]), self.ints(&[1]));
        let keys = self.node("Unsqueeze", &[&positions, &first_axis]);
        let queries = self.node("Unsqueeze", &[&positions, &second_axis]);
        let differences = self.node("Sub", &[&keys, &queries]);
        let offset = self.int(last as i64);
        let indices = self.node("Add", &[&differences, &offset]);
        let buckets = self.node("Gather", &[&buckets, &indices]);
        let shape = [RelativePositionBiases::BUCKETS, biases.heads];
        let table = self.float_parameter("biases", &shape, &biases.values);
        let biases = self.node("Gather", &[&table, &buckets]);
        let biases = self.with("Transpose", &[&biases], vec![ints("perm", &[2, 0, 1])]);
        self.node("Unsqueeze", &[&biases, &first_axis])
    }

    /// The addend of the scores of the attention, `[batch, 1, 1, sequence]`: 0 for tokens, and the minimum f32 for
    /// padding.
    fn mask(&mut self) -> String {
        self.scope = "mask".to_owned();
        let axes = self.ints(&[1, 2]);
        let mask = self.node("Unsqueeze", &["attention_mask", &axes]);
        let mask = self.with("Cast", &[&mask], vec![int("to", DataType::Float as i64)]);
        let one = self.float(1.0);
        let is_padding = self.node("Sub", &[&one, &mask]);
        let min = self.float(f32::MIN);
        self.node("Mul", &[&is_padding, &min])
    }
}
