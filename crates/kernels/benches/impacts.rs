//! Scans of a window by how many terms are dense, of every instruction set here.
//!
//! `cargo bench -p kernels --bench impacts`

use divan::Bencher;
use divan::counter::ItemsCount;
use kernels::impacts::{
    DenseBounds, DenseTerm, FoundPassages, GROUP, ImpactKernels, MIN_CODES_PER_CLASS, PADDING, ScanOptions,
};

const PASSAGES: usize = 8192;

fn main() {
    divan::main();
}

/// Every third passage has each term. None reaches the bound, but one of each group of 64 might.
#[divan::bench(args = cases())]
fn all_looked_at(bencher: Bencher<'_, '_>, &(kernels, dense): &(usize, usize)) {
    scan(bencher, kernels, dense, BOUND - STEPS * dense as u16);
}

/// No passage can reach the bound.
#[divan::bench(args = cases())]
fn all_passed_over(bencher: Bencher<'_, '_>, &(kernels, dense): &(usize, usize)) {
    scan(bencher, kernels, dense, 0);
}

const BOUND: u16 = 40_000;
const STEPS: u16 = 3 << SHIFT;
const SHIFT: u32 = 5;

fn scan(bencher: Bencher<'_, '_>, kernels: usize, dense: usize, one_of_each_group: u16) {
    let kernels = ImpactKernels::available()[kernels];
    let words = vec![0x9249_2492_4924_9249u64.to_le_bytes(); PASSAGES / GROUP];
    let codes: Vec<u8> = (0..PASSAGES / 2 + PADDING).map(|at| 1 + (at * 7 % 250) as u8).collect();
    let bounds = DenseBounds { steps: [3; 256 / MIN_CODES_PER_CLASS] };
    let mut sums = vec![0u16; PASSAGES];
    let mut found = FoundPassages { sums: [0; GROUP], positions: [0; GROUP] };
    bencher.counter(ItemsCount::new(PASSAGES)).bench_local(|| {
        // A passage that lacks the terms.
        sums.iter_mut().skip(1).step_by(GROUP).for_each(|sum| *sum = one_of_each_group);
        let term = || DenseTerm { words: &words, codes: &codes, bounds: &bounds };
        let mut terms: Vec<DenseTerm<'_>> = (0..dense).map(|_| term()).collect();
        let scan = ScanOptions { bound: BOUND, shift: SHIFT, allowed: None };
        kernels.scan(&mut sums, &mut terms, scan, &mut found, GROUP)
    });
}

fn cases() -> impl Iterator<Item = (usize, usize)> {
    (0..ImpactKernels::available().len()).flat_map(|kernels| [1, 2, 4, 8].map(|dense| (kernels, dense)))
}
