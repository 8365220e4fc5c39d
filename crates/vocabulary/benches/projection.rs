//! Compares the projection of 512 vectors of dimension 384 to a vocabulary of 30,522 tokens with a plain matrix product
//! of the same shape, computed by the crate `gemm`. Every round measures each system once. The last column has the
//! median, over the rounds, of gemm's CPU time divided by the system's CPU time.
//!
//! A head (the output layers of a masked language model) transforms the vectors and multiplies them by the decoder
//! matrix, which has one row per token. `project` then selects the `k` most probable tokens and computes their
//! probabilities. With k = 0, it computes only the logits and the denominators of the softmax.
//!
//! Run `cargo bench -p vocabulary --bench projection`; append `-- 2` for two threads.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use control::Control;
use vocabulary::Head;

#[path = "../../kernels/benches/support/product.rs"]
mod product;

use product::product;

/// A name, and the computation to measure.
type System<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// Number of vectors.
const ROWS: usize = 512;
/// Number of times that each system is measured.
const ROUNDS: usize = 15;

fn main() {
    let threads: usize = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(1);
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let head = Head::open(&models.join("minilm-mlm-head")).expect("the head");
    let (dim, tokens) = (head.dim(), head.vocabulary_size());
    // A linear congruential generator. Values from −0.1 to 0.1 are close to those of real vectors.
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * 0.1
    };
    let vectors: Vec<f32> = (0..ROWS * dim).map(|_| next()).collect();
    let transformed = head.transform(&vectors);
    let mut logits = vec![0.0; ROWS * tokens];
    let control = Control::new();
    let mut systems: Vec<System<'_>> = vec![
        (
            "gemm: the product, all logits written",
            Box::new(|| product(&transformed, head.decoder(), &mut logits, dim, threads)),
        ),
        ("transform, one thread", Box::new(|| drop(black_box(head.transform(&vectors))))),
        ("project, k = 0", Box::new(|| drop(black_box(head.project(&vectors, 0, threads, &control))))),
        ("project, k = 10", Box::new(|| drop(black_box(head.project(&vectors, 10, threads, &control))))),
        ("project, k = 1000", Box::new(|| drop(black_box(head.project(&vectors, 1000, threads, &control))))),
    ];
    let mut times = vec![vec![]; systems.len()];
    for _ in 0..ROUNDS {
        for ((_, system), times) in systems.iter_mut().zip(&mut times) {
            let (start, cpu_start) = (Instant::now(), cpu_ms());
            system();
            times.push([start.elapsed().as_secs_f64() * 1000.0, cpu_ms() - cpu_start]);
        }
    }
    println!("{ROWS} vectors of {dim}, {tokens} tokens, {threads} threads; milliseconds, {ROUNDS} rounds");
    println!("{:<40} {:>26} {:>26} {:>9}", "", "wall: min, median", "CPU: min, median", "vs. gemm");
    for ((name, _), system_times) in systems.iter().zip(&times) {
        let [wall, cpu] = [0, 1].map(|clock| {
            let mut sorted: Vec<f64> = system_times.iter().map(|time| time[clock]).collect();
            sorted.sort_by(f64::total_cmp);
            format!("{:.1}, {:.1}", sorted[0], sorted[ROUNDS / 2])
        });
        // The speedups over gemm in the same rounds. They compare CPU times, because other processes may use the
        // machine.
        let mut ratios: Vec<f64> =
            times[0].iter().zip(system_times).map(|(gemm, system)| gemm[1] / system[1]).collect();
        ratios.sort_by(f64::total_cmp);
        println!("{name:<40} {wall:>26} {cpu:>26} {:>9.2}", ratios[ROUNDS / 2]);
    }
}

/// Returns the CPU time of this process in milliseconds.
fn cpu_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1000.0 + time.tv_nsec as f64 / 1e6
}
