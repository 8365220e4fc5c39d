//! Random weights of small models.

use transformer::weights::{
    Embeddings, Head, Layer, Linear, Matrix, Norm, Output, RelativePositionBiases, Table, TableValues,
    Weights,
};

/// The sizes of a model.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub dim: usize,
    pub heads: usize,
    pub intermediate: usize,
    pub layers: usize,
    pub words: usize,
    pub positions: usize,
}

/// A generator of numbers between −1 and 1 (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / 8_388_608.0 - 1.0
    }

    fn floats(&mut self, count: usize, magnitude: f32) -> Vec<f32> {
        (0..count).map(|_| self.next() * magnitude).collect()
    }

    fn table(&mut self, rows: usize, dim: usize, quantized: bool) -> Table {
        let values = if quantized {
            let bytes = (0..rows * dim).map(|_| ((self.next() + 1.0) * 127.0) as u8).collect();
            TableValues::U8 { bytes, scale: 0.01, zero: 120 }
        } else {
            TableValues::F32(self.floats(rows * dim, 1.0))
        };
        Table { rows, dim, values }
    }

    fn linear(&mut self, inputs: usize, outputs: usize, quantized: bool) -> Linear {
        let magnitude = 1.5 / (inputs as f32).sqrt();
        let weights = if quantized {
            let bytes = (0..inputs * outputs).map(|_| (self.next() * 64.0) as i8).collect();
            let scales = (0..outputs).map(|_| (self.next() + 2.0) * magnitude / 128.0).collect();
            Matrix::I8 { bytes, scales }
        } else {
            Matrix::F32(self.floats(inputs * outputs, magnitude))
        };
        Linear { inputs, outputs, weights, bias: self.floats(outputs, 0.2) }
    }

    fn norm(&mut self, dim: usize) -> Norm {
        let weight = (0..dim).map(|_| 1.0 + 0.3 * self.next()).collect();
        Norm { weight, bias: self.floats(dim, 0.2), epsilon: 1e-12 }
    }
}

/// Makes a model with all kinds of outputs. If it is `quantized`, its matrices and tables are bytes.
pub fn random(shape: Shape, seed: u64, quantized: bool) -> Weights {
    let Shape { dim, heads, intermediate, layers, words, positions } = shape;
    let random = &mut Random(seed);
    let embeddings = Embeddings {
        words: random.table(words, dim, quantized),
        positions: random.table(positions, dim, quantized),
        first_position: 0,
        types: Some(random.table(2, dim, quantized)),
        has_type_input: true,
        norm: random.norm(dim),
    };
    let layers = (0..layers)
        .map(|_| Layer {
            query: random.linear(dim, dim, quantized),
            key: random.linear(dim, dim, quantized),
            value: random.linear(dim, dim, quantized),
            heads,
            scale: 1.0 / ((dim / heads) as f32).sqrt(),
            attention_output: random.linear(dim, dim, quantized),
            attention_norm: random.norm(dim),
            intermediate: random.linear(dim, intermediate, quantized),
            output: random.linear(intermediate, dim, quantized),
            output_norm: random.norm(dim),
        })
        .collect();
    let logits = random.linear(dim, 2, quantized);
    let heads = [
        ("states", Head::HiddenStates),
        ("start", Head::TokenLogits { linear: logits.clone(), column: 0 }),
        ("end", Head::TokenLogits { linear: logits, column: 1 }),
        ("relevance", Head::FirstTokenLogits { linear: random.linear(dim, 3, quantized), column: 2 }),
        ("pooled", Head::Pooler(random.linear(dim, 20, quantized))),
        ("first", Head::FirstToken),
    ];
    let outputs = heads.map(|(name, head)| Output { name: name.to_owned(), head });
    Weights { embeddings, relative_position_biases: None, layers, outputs: outputs.into() }
}

/// Changes a model to an MPNet: without token types, and with relative position biases.
#[allow(dead_code, reason = "not every test crate needs it")]
pub fn to_mpnet(weights: &mut Weights, seed: u64) {
    weights.embeddings.first_position = 2;
    weights.embeddings.has_type_input = false;
    weights.embeddings.types = None;
    let heads = weights.layers[0].heads;
    let values = Random(seed).floats(RelativePositionBiases::BUCKETS * heads, 1.0);
    weights.relative_position_biases = Some(RelativePositionBiases { heads, values });
}

/// Replaces all bytes by the floats that they stand for.
pub fn with_floats(weights: &Weights) -> Weights {
    let mut weights = weights.clone();
    let embeddings = &mut weights.embeddings;
    for table in [&mut embeddings.words, &mut embeddings.positions].into_iter().chain(&mut embeddings.types) {
        if let TableValues::U8 { bytes, scale, zero } = &table.values {
            let float = |&byte: &u8| f32::from(i16::from(byte) - i16::from(*zero)) * scale;
            table.values = TableValues::F32(bytes.iter().map(float).collect());
        }
    }
    for layer in &mut weights.layers {
        let linears = [&mut layer.query, &mut layer.key, &mut layer.value, &mut layer.attention_output];
        linears.into_iter().chain([&mut layer.intermediate, &mut layer.output]).for_each(to_floats);
    }
    for output in &mut weights.outputs {
        match &mut output.head {
            Head::HiddenStates | Head::FirstToken => {}
            Head::TokenLogits { linear, .. }
            | Head::FirstTokenLogits { linear, .. }
            | Head::Pooler(linear) => to_floats(linear),
        }
    }
    weights
}

fn to_floats(linear: &mut Linear) {
    if let Matrix::I8 { bytes, scales } = &linear.weights {
        let rows = bytes.chunks_exact(linear.outputs);
        let values =
            rows.flat_map(|row| row.iter().zip(scales).map(|(&byte, scale)| f32::from(byte) * scale));
        linear.weights = Matrix::F32(values.collect());
    }
}
