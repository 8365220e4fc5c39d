//! Scans of a block of passages, by number of dense terms and instruction set. An item is a passage.
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

/// Every third passage has each term. No passage reaches the bound, but in each group of 64 one has a sum that could, so that
/// no group is skipped.
#[divan::bench(args = cases())]
fn no_group_skipped(bencher: Bencher<'_, '_>, &(kernels, dense): &(usize, usize)) {
    scan(bencher, kernels, dense, BOUND - STEPS * dense as u16);
}

/// No passage can reach the bound, so all groups are skipped.
#[divan::bench(args = cases())]
fn all_groups_skipped(bencher: Bencher<'_, '_>, &(kernels, dense): &(usize, usize)) {
    scan(bencher, kernels, dense, 0);
}

const BOUND: u16 = 40_000;
const STEPS: u16 = 3 << SHIFT;
const SHIFT: u32 = 5;

fn scan(bencher: Bencher<'_, '_>, kernels: usize, dense: usize, sum_per_group: u16) {
    let kernels = ImpactKernels::available()[kernels];
    let words = vec![0x9249_2492_4924_9249u64.to_le_bytes(); PASSAGES / GROUP];
    let codes: Vec<u8> = (0..PASSAGES / 2 + PADDING).map(|at| 1 + (at * 7 % 250) as u8).collect();
    let bounds = DenseBounds { steps: [3; 256 / MIN_CODES_PER_CLASS] };
    let mut sums = vec![0u16; PASSAGES];
    let mut found = FoundPassages { sums: [0; GROUP], positions: [0; GROUP] };
    bencher.counter(ItemsCount::new(PASSAGES)).bench_local(|| {
        // The passage does not have the dense terms.
        sums.iter_mut().skip(1).step_by(GROUP).for_each(|sum| *sum = sum_per_group);
        let term = || DenseTerm { words: &words, codes: &codes, bounds: &bounds };
        let mut terms: Vec<DenseTerm<'_>> = (0..dense).map(|_| term()).collect();
        let options = ScanOptions { bound: BOUND, shift: SHIFT, allowed: None };
        kernels.scan(&mut sums, &mut terms, options, &mut found, GROUP)
    });
}

fn cases() -> impl Iterator<Item = (usize, usize)> {
    (0..ImpactKernels::available().len()).flat_map(|kernels| [1, 2, 4, 8].map(|dense| (kernels, dense)))
}
