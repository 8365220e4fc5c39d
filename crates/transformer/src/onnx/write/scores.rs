//! Writes what is added to the scores of the attention: biases by relative positions, and the mask.

use super::super::format::DataType;
use super::builder::{Builder, int, ints};
use crate::weights::{RelativePositions, Weights};

impl Builder {
    /// The addends of the scores of all layers, in the order in which they are added.
    pub fn score_addends(&mut self, weights: &Weights) -> Vec<String> {
        let max = weights.embeddings.max_tokens();
        let biases = weights.relative_positions.as_ref().map(|relative| self.biases(relative, max));
        biases.into_iter().chain([self.mask()]).collect()
    }

    /// The biases by relative positions, `[1, heads, sequence, sequence]`. The bucket of each difference of positions is a
    /// constant.
    fn biases(&mut self, relative: &RelativePositions, max: usize) -> String {
        self.scope = "relative_positions".to_owned();
        let last = max as isize - 1;
        let buckets: Vec<u8> = (-last..=last)
            .map(|difference| RelativePositions::bucket(relative.buckets, difference) as i64)
            .flat_map(i64::to_le_bytes)
            .collect();
        let buckets = self.parameter("buckets", DataType::Int64, &[2 * max - 1], buckets);
        let positions = self.position_numbers(max);
        let (first_axis, second_axis) = (self.ints(&[0]), self.ints(&[1]));
        let keys = self.node("Unsqueeze", &[&positions, &first_axis]);
        let queries = self.node("Unsqueeze", &[&positions, &second_axis]);
        let differences = self.node("Sub", &[&keys, &queries]);
        let offset = self.int(last as i64);
        let places = self.node("Add", &[&differences, &offset]);
        let buckets = self.node("Gather", &[&buckets, &places]);
        let table = self.float_parameter("biases", &[relative.buckets, relative.heads], &relative.biases);
        let biases = self.node("Gather", &[&table, &buckets]);
        let biases = self.with("Transpose", &[&biases], vec![ints("perm", &[2, 0, 1])]);
        self.node("Unsqueeze", &[&biases, &first_axis])
    }

    /// The addend of the scores of the attention, `[batch, 1, 1, sequence]`: 0 for tokens, and the least float for
    /// padding.
    fn mask(&mut self) -> String {
        self.scope = "mask".to_owned();
        let axes = self.ints(&[1, 2]);
        let mask = self.node("Unsqueeze", &["attention_mask", &axes]);
        let mask = self.with("Cast", &[&mask], vec![int("to", DataType::Float as i64)]);
        let one = self.float(1.0);
        let is_padding = self.node("Sub", &[&one, &mask]);
        let least = self.float(f32::MIN);
        self.node("Mul", &[&is_padding, &least])
    }
}
