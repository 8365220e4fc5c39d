//! Finds the single-token enrichments of a head and says how many steps and how much time they took:
//! `cargo run --release -p vocabulary --example enrich -- models/minilm-mlm-head [start] [learning rate] [min steps]`.

use std::path::Path;
use std::time::Instant;

use control::Control;
use vocabulary::{Adam, EnrichOptions, Head, Start, enrich};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, otherwise: &str| arguments.get(at).map_or(otherwise.to_owned(), Clone::clone);
    let head = Head::open(Path::new(&argument(0, "models/minilm-mlm-head")))?;
    let options = EnrichOptions {
        start: if argument(1, "zero") == "static" { Start::Static } else { Start::Zero },
        adam: Adam { learning_rate: argument(2, "0.01").parse()?, ..Adam::default() },
        min_steps: argument(3, "0").parse()?,
        ..EnrichOptions::default()
    };
    let control = Control::new();
    let began = Instant::now();
    let found = std::thread::scope(|scope| {
        let work = scope.spawn(|| enrich(&head, &options, None, &control));
        while !work.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        work.join().expect("no panic")
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let count = found.steps.len();
    let mut steps = found.steps.clone();
    steps.sort_unstable();
    let at = |share: f64| steps[((count - 1) as f64 * share) as usize];
    let taken: u64 = steps.iter().map(|&steps| u64::from(steps) + 1).sum();
    let products = taken as f64 * 4.0 * count as f64 * head.inner_dim() as f64;
    let low = found.losses.iter().filter(|&&loss| loss < options.loss).count();
    let proved = found.losses.iter().zip(&found.bounds);
    let proved = proved.filter(|(loss, bound)| **loss >= options.loss && **bound >= options.loss).count();
    println!("{count} tokens: {low} with a loss below {}, {proved} that can have none", options.loss);
    println!("steps: median {}, 90 % {}, 99 % {}, most {}", at(0.5), at(0.9), at(0.99), at(1.0));
    println!("{seconds:.1} s, {:.0} Gflop/s", products / seconds / 1e9);
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
