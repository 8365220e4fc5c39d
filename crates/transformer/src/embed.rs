//! The embeddings of tokens.

use kernels::network::NetworkKernels;

use crate::Text;
use crate::weights::{Embeddings, Table, TableValues};

/// Appends the normalized embedding of each token of a text to `out`. The ids and types must have rows in their tables.
pub(crate) fn embed(kernels: &NetworkKernels, embeddings: &Embeddings, text: Text<'_>, out: &mut Vec<f32>) {
    let dim = embeddings.words.dim;
    for (position, &id) in text.ids.iter().enumerate() {
        let start = out.len();
        out.resize(start + dim, 0.0);
        let row = &mut out[start..];
        add_row(&embeddings.words, id as usize, row);
        if let Some(types) = &embeddings.types {
            let token_type = usize::from(embeddings.has_type_input && position >= text.type_0_count);
            add_row(types, token_type, row);
        }
        add_row(&embeddings.positions, embeddings.first_position + position, row);
        let norm = &embeddings.norm;
        kernels.normalize(row, None, &norm.weight, &norm.bias, norm.epsilon);
    }
}

/// Adds a row of a table to `sum`.
fn add_row(table: &Table, row: usize, sum: &mut [f32]) {
    let values = row * table.dim..(row + 1) * table.dim;
    match &table.values {
        TableValues::F32(floats) => {
            sum.iter_mut().zip(&floats[values]).for_each(|(sum, value)| *sum += value);
        }
        TableValues::U8 { bytes, scale, zero } => {
            for (sum, &byte) in sum.iter_mut().zip(&bytes[values]) {
                *sum += f32::from(i16::from(byte) - i16::from(*zero)) * scale;
            }
        }
    }
}
