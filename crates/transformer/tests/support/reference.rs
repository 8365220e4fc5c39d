//! A forward pass in `f64`, one text at a time, written from the definitions (Vaswani et al., 2017; Devlin et al.,
//! 2019).

use transformer::weights::{
    Head, Layer, Linear, Matrix, Norm, RelativePositionBiases, Table, TableValues, Weights,
};

type Rows = Vec<Vec<f64>>;

/// Returns the values of all outputs, text by text.
pub fn run(weights: &Weights, texts: &[(Vec<u32>, usize)]) -> Rows {
    let mut outputs = vec![Vec::new(); weights.outputs.len()];
    for (ids, type_0_count) in texts {
        let mut states = embed(weights, ids, *type_0_count);
        for layer in &weights.layers {
            states = run_layer(layer, weights.relative_position_biases.as_ref(), &states);
        }
        for (output, values) in weights.outputs.iter().zip(&mut outputs) {
            match &output.head {
                Head::HiddenStates => values.extend(states.iter().flatten()),
                Head::FirstToken => values.extend(&states[0]),
                Head::TokenLogits { linear, column } => {
                    values.extend(states.iter().map(|state| apply(linear, state)[*column]));
                }
                Head::FirstTokenLogits { linear, column } => values.push(apply(linear, &states[0])[*column]),
                Head::Pooler(linear) => values.extend(apply(linear, &states[0]).into_iter().map(f64::tanh)),
            }
        }
    }
    outputs
}

fn embed(weights: &Weights, ids: &[u32], type_0_count: usize) -> Rows {
    let embeddings = &weights.embeddings;
    let row = |(position, &id): (usize, &u32)| {
        let mut sum = table_row(&embeddings.words, id as usize);
        let positions = table_row(&embeddings.positions, embeddings.first_position + position);
        let token_type = usize::from(embeddings.has_type_input && position >= type_0_count);
        let types = embeddings.types.as_ref().map(|types| table_row(types, token_type));
        for addend in [Some(positions), types].into_iter().flatten() {
            sum.iter_mut().zip(addend).for_each(|(sum, addend)| *sum += addend);
        }
        normalize(&embeddings.norm, &sum)
    };
    ids.iter().enumerate().map(row).collect()
}

fn run_layer(layer: &Layer, biases: Option<&RelativePositionBiases>, states: &Rows) -> Rows {
    let each = |linear: &Linear, rows: &Rows| -> Rows { rows.iter().map(|row| apply(linear, row)).collect() };
    let (queries, keys, values) =
        (each(&layer.query, states), each(&layer.key, states), each(&layer.value, states));
    let dim = layer.query.outputs / layer.heads;
    let attended: Rows = queries
        .iter()
        .enumerate()
        .map(|(position, query)| {
            let head = |head: usize| {
                let range = head * dim..(head + 1) * dim;
                let dot = |key: &Vec<f64>| -> f64 {
                    query[range.clone()].iter().zip(&key[range.clone()]).map(|(a, b)| a * b).sum()
                };
                let score = |(key_position, key): (usize, &Vec<f64>)| {
                    let bias = biases.map_or(0.0, |biases| {
                        let difference = key_position as isize - position as isize;
                        let bucket = RelativePositionBiases::bucket(difference);
                        f64::from(biases.values[bucket * biases.heads + head])
                    });
                    dot(key) * f64::from(layer.scale) + bias
                };
                let exponentials: Vec<f64> = keys.iter().enumerate().map(|key| score(key).exp()).collect();
                let total: f64 = exponentials.iter().sum();
                let mean = |at: usize| {
                    exponentials
                        .iter()
                        .zip(&values)
                        .map(|(weight, value)| weight / total * value[at])
                        .sum::<f64>()
                };
                range.map(mean).collect::<Vec<f64>>()
            };
            (0..layer.heads).flat_map(head).collect()
        })
        .collect();
    let add = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    let combined = each(&layer.attention_output, &attended);
    let normalized: Rows = combined
        .iter()
        .zip(states)
        .map(|(row, state)| normalize(&layer.attention_norm, &add(row, state)))
        .collect();
    let hidden: Rows = each(&layer.intermediate, &normalized)
        .into_iter()
        .map(|row| row.into_iter().map(gelu).collect())
        .collect();
    let outputs = each(&layer.output, &hidden);
    outputs
        .iter()
        .zip(&normalized)
        .map(|(row, state)| normalize(&layer.output_norm, &add(row, state)))
        .collect()
}

fn apply(linear: &Linear, input: &[f64]) -> Vec<f64> {
    let Matrix::F32(weights) = &linear.weights else { panic!("the reference has floats") };
    let output = |column: usize| {
        let products =
            input.iter().enumerate().map(|(row, x)| x * f64::from(weights[row * linear.outputs + column]));
        products.sum::<f64>() + f64::from(linear.bias[column])
    };
    (0..linear.outputs).map(output).collect()
}

fn normalize(norm: &Norm, row: &[f64]) -> Vec<f64> {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
    let deviation = (variance + f64::from(norm.epsilon)).sqrt();
    let parameters = norm.weight.iter().zip(&norm.bias);
    row.iter()
        .zip(parameters)
        .map(|(x, (w, b))| (x - mean) / deviation * f64::from(*w) + f64::from(*b))
        .collect()
}

/// x · Φ(x), where Φ is integrated by Simpson's rule.
fn gelu(x: f64) -> f64 {
    let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (steps, step) = (100, x / 100.0);
    let inner: f64 =
        (1..steps).map(|at| density(f64::from(at) * step) * if at % 2 == 1 { 4.0 } else { 2.0 }).sum();
    x * (0.5 + (density(0.0) + inner + density(x)) * step / 3.0)
}

fn table_row(table: &Table, row: usize) -> Vec<f64> {
    let TableValues::F32(values) = &table.values else { panic!("the reference has floats") };
    values[row * table.dim..][..table.dim].iter().map(|&value| f64::from(value)).collect()
}
