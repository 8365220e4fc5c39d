//! Compares the projection of vectors onto a vocabulary with the plain matrix product of the same shape in the crate `gemm`: 512
//! vectors of dimension 384, 30,522 tokens. The systems alternate within one run.
//!
//! Run it with `cargo bench -p vocabulary --bench projection`; append `-- 2` for two threads.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use control::Control;
use vocabulary::Head;

#[path = "../../kernels/benches/support/product.rs"]
mod product;

use product::product;

/// A name, and the function to measure.
type System<'a> = (&'static str, Box<dyn FnMut() + 'a>);

const ROWS: usize = 512;
const ROUNDS: usize = 15;

fn main() {
    let threads: usize = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(1);
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let head = Head::open(&models.join("minilm-mlm-head")).expect("the head");
    let (dim, tokens) = (head.dim(), head.vocabulary_size());
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
            let (wall, busy) = (Instant::now(), busy());
            system();
            times.push([wall.elapsed().as_secs_f64() * 1000.0, self::busy() - busy]);
        }
    }
    println!("{ROWS} vectors of {dim}, {tokens} tokens, {threads} threads; milliseconds, {ROUNDS} rounds");
    println!("{:<40} {:>26} {:>26} {:>9}", "", "wall: min, median", "CPU: min, median", "vs. gemm");
    for ((name, _), of) in systems.iter().zip(&times) {
        let [wall, busy] = [0, 1].map(|which| {
            let mut of: Vec<f64> = of.iter().map(|both| both[which]).collect();
            of.sort_by(f64::total_cmp);
            format!("{:.1}, {:.1}", of[0], of[ROUNDS / 2])
        });
        // Compare with the product of the same round by CPU time, because other processes may be using the machine.
        let mut ratios: Vec<f64> = times[0].iter().zip(of).map(|(gemm, own)| gemm[1] / own[1]).collect();
        ratios.sort_by(f64::total_cmp);
        println!("{name:<40} {wall:>26} {busy:>26} {:>9.2}", ratios[ROUNDS / 2]);
    }
}

/// CPU time of this process in milliseconds.
fn busy() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1000.0 + time.tv_nsec as f64 / 1e6
}
