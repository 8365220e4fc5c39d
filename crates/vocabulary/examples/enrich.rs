//! Finds the single-token enrichments of a head and prints how many steps and how much time they took. The enrichment
//! of a token is a vector for which the head gives the token a probability near 1. Run it with
//! `cargo run --release -p vocabulary --example enrich -- models/minilm-mlm-head [start] [learning rate] [min steps]`,
//! where `start` is the initial vector of a token: `zero` for the zero vector, or `static` for the token's row of the
//! decoder (the matrix with which the head computes the logits).

use std::path::Path;
use std::time::Instant;

use control::Control;
use vocabulary::{Adam, EnrichOptions, Head, Start, enrich};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, default: &str| arguments.get(at).map_or(default.to_owned(), Clone::clone);
    let head = Head::open(Path::new(&argument(0, "models/minilm-mlm-head")))?;
    let options = EnrichOptions {
        start: if argument(1, "zero") == "static" { Start::Static } else { Start::Zero },
        adam: Adam { learning_rate: argument(2, "0.01").parse()?, ..Adam::default() },
        min_steps: argument(3, "0").parse()?,
        ..EnrichOptions::default()
    };
    let start = Instant::now();
    let found = enrich(&head, &options, None, &Control::new())?;
    let seconds = start.elapsed().as_secs_f64();
    let count = found.steps.len();
    let mut steps = found.steps.clone();
    steps.sort_unstable();
    let quantile = |share: f64| steps[((count - 1) as f64 * share) as usize];
    // For each token, the number of evaluations of the objective is one more than the number of steps. An evaluation
    // multiplies by the decoder twice, for the logits and for the gradient. Each time, every weight of the decoder
    // takes a multiplication and an addition.
    let evaluations: u64 = steps.iter().map(|&steps| u64::from(steps) + 1).sum();
    let operations = evaluations as f64 * 4.0 * count as f64 * head.inner_dim() as f64;
    let reached = found.losses.iter().filter(|&&loss| loss < options.loss).count();
    let losses_and_bounds = found.losses.iter().zip(&found.bounds);
    let unreachable =
        losses_and_bounds.filter(|(loss, bound)| **loss >= options.loss && **bound >= options.loss).count();
    println!(
        "{count} tokens: {reached} with a loss below {}, {unreachable} that cannot have one",
        options.loss
    );
    let [median, p90, p99, max] = [0.5, 0.9, 0.99, 1.0].map(quantile);
    println!("steps: median {median}, 90th percentile {p90}, 99th percentile {p99}, maximum {max}");
    println!("{seconds:.1} s, {:.0} Gflop/s", operations / seconds / 1e9);
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / count as f64;
    let norms = &mut found
        .vectors
        .chunks_exact(found.dim)
        .map(|row| row.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>().sqrt());
    println!(
        "mean loss {:.3}, mean length {:.3}",
        mean(&mut found.losses.iter().map(|&loss| f64::from(loss))),
        mean(norms)
    );
    Ok(())
}
