//! Writes the inputs of the graph, and the embeddings.

use super::super::format::DataType;
use super::builder::Builder;
use crate::weights::{Embeddings, Table, TableValues};

impl Builder {
    /// Adds the inputs of the graph and the embeddings. Returns the normalized sum, `[batch, sequence, dim]`.
    pub fn embeddings(&mut self, embeddings: &Embeddings) -> String {
        self.scope = "embeddings".to_owned();
        let types = embeddings.types.as_ref();
        self.input("input_ids");
        self.input("attention_mask");
        let mut sum = self.lookup("words", &embeddings.words, "input_ids");
        if let Some(types) = types.filter(|_| embeddings.has_type_input) {
            self.input("token_type_ids");
            let rows = self.lookup("types", types, "token_type_ids");
            sum = self.node("Add", &[&sum, &rows]);
        } else if let Some(types) = types {
            let zero = self.ints(&[0]);
            let row = self.lookup("types", &first_row(types), &zero);
            sum = self.node("Add", &[&sum, &row]);
        }
        let indices = self.position_indices(embeddings);
        let positions = self.lookup("positions", &embeddings.positions, &indices);
        let sum = self.node("Add", &[&sum, &positions]);
        // ONNX Runtime cannot infer it if the positions are a slice.
        self.state_shape(&sum, embeddings.words.dim);
        self.norm("norm", &embeddings.norm, &sum)
    }

    /// The rows of the table of positions: `[sequence]`, or `[batch, sequence]` if the first position is not 0.
    fn position_indices(&mut self, embeddings: &Embeddings) -> String {
        if embeddings.first_position > 0 {
            // As in RoBERTa, padding has the position before the first one.
            let (axis, before) = (self.int(1), self.int(embeddings.first_position as i64 - 1));
            let counts = self.with("CumSum", &["attention_mask", &axis], Vec::new());
            let counts = self.node("Mul", &[&counts, "attention_mask"]);
            return self.node("Add", &[&counts, &before]);
        }
        self.position_numbers(embeddings.positions.rows)
    }

    /// The numbers of the positions, from 0: `[sequence]`. `max_tokens` is the maximum length of a text.
    pub fn position_numbers(&mut self, max_tokens: usize) -> String {
        let rows = (0..max_tokens as i64).flat_map(i64::to_le_bytes).collect();
        let all = self.parameter("position_numbers", DataType::Int64, &[max_tokens], rows);
        let shape = self.node("Shape", &["input_ids"]);
        let (zero, one) = (self.ints(&[0]), self.ints(&[1]));
        let length = self.node("Gather", &[&shape, &one]);
        self.node("Slice", &[&all, &zero, &length, &zero])
    }

    /// Looks up rows of a table.
    fn lookup(&mut self, name: &str, table: &Table, indices: &str) -> String {
        let shape = [table.rows, table.dim];
        match &table.values {
            TableValues::F32(values) => {
                let table = self.float_parameter(name, &shape, values);
                self.node("Gather", &[&table, indices])
            }
            TableValues::U8 { bytes, scale, zero } => {
                let table = self.parameter(name, DataType::Uint8, &shape, bytes.clone());
                let scale = self.float_parameter(&format!("{name}_scale"), &[], &[*scale]);
                let zero = self.parameter(&format!("{name}_zero_point"), DataType::Uint8, &[], vec![*zero]);
                let rows = self.node("Gather", &[&table, indices]);
                self.node("DequantizeLinear", &[&rows, &scale, &zero])
            }
        }
    }
}

/// The table with the first row of a table.
fn first_row(table: &Table) -> Table {
    let dim = table.dim;
    let values = match &table.values {
        TableValues::F32(values) => TableValues::F32(values[..dim].to_vec()),
        TableValues::U8 { bytes, scale, zero } => {
            TableValues::U8 { bytes: bytes[..dim].to_vec(), scale: *scale, zero: *zero }
        }
    };
    Table { rows: 1, dim, values }
}
