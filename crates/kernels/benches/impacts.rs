//! Times [`ImpactKernels::scan`], by instruction set and number of dense terms. A dense term is in many passages and is
//! stored as a bitmap. For each passage of a block, the scan adds the upper bounds on what its dense terms contribute
//! to its BM25 score, and it reports the passages whose sum reaches a threshold. The throughput counts passages.
//!
//! Run `cargo bench -p kernels --bench impacts`.

use divan::Bencher;
use divan::counter::ItemsCount;
use kernels::impacts::{
    DenseBounds, DenseTerm, FoundPassages, GROUP, ImpactKernels, MIN_CODES_PER_CLASS, PADDING, ScanOptions,
};

const PASSAGES: usize = 8192;

fn main() {
    divan::main();
}

/// Every third passage has each term. No passage reaches the threshold, but each group of 64 passages includes two that
/// no check rules out, so no group is skipped.
#[divan::bench(args = cases())]
fn no_group_skipped(bencher: Bencher<'_, '_>, &(set, term_count): &(usize, usize)) {
    scan(bencher, set, term_count, THRESHOLD - TERM_BOUND * term_count as u16);
}

/// No passage can reach the threshold, so all groups are skipped.
#[divan::bench(args = cases())]
fn all_groups_skipped(bencher: Bencher<'_, '_>, &(set, term_count): &(usize, usize)) {
    scan(bencher, set, term_count, 0);
}

/// Passages whose sum reaches this are reported.
const THRESHOLD: u16 = 40_000;
/// A dense term adds this to the sum of a passage: 3 units of `1 << SHIFT`.
const TERM_BOUND: u16 = 3 << SHIFT;
/// The shift that converts units of a dense term's bounds to the steps in which sums are counted.
const SHIFT: u32 = 5;

/// Times scans with the instruction set at position `set`. Before the scan, passages 0 and 1 of each group have the sum
/// `sum_per_group`, the first one less 1.
fn scan(bencher: Bencher<'_, '_>, set: usize, term_count: usize, sum_per_group: u16) {
    let kernels = ImpactKernels::available()[set];
    // Every third bit is set, starting with bit 0: 22 bits per word.
    let words = vec![0x9249_2492_4924_9249u64.to_le_bytes(); PASSAGES / GROUP];
    // The 8192 / 64 · 22 = 2,816 postings of a term have one code each. The codes after them are not used.
    let codes: Vec<u8> = (0..PASSAGES / 2 + PADDING).map(|at| 1 + (at * 7 % 250) as u8).collect();
    // The last class with AVX-512, of which there is no code, has one unit more. So passage 0, which has all terms,
    // stays just below the threshold, but the maximum of the terms would reach it.
    let mut bounds = DenseBounds { units: [3; 256 / MIN_CODES_PER_CLASS] };
    bounds.units[255 / MIN_CODES_PER_CLASS] = 4;
    let mut sums = vec![0u16; PASSAGES];
    let mut found = FoundPassages { sums: [0; GROUP], positions: [0; GROUP] };
    bencher.counter(ItemsCount::new(PASSAGES)).bench_local(|| {
        // The scan sets all sums to 0, so they are set again each time. Passage 1 of a group has none of the dense
        // terms; with AVX2 and NEON, its sum passes the check.
        for group in sums.as_chunks_mut::<GROUP>().0 {
            (group[0], group[1]) = (sum_per_group.saturating_sub(1), sum_per_group);
        }
        let term = || DenseTerm { words: &words, codes: &codes, bounds: &bounds };
        let mut terms: Vec<DenseTerm<'_>> = (0..term_count).map(|_| term()).collect();
        let options = ScanOptions { threshold: THRESHOLD, shift: SHIFT, allowed: None };
        kernels.scan(&mut sums, &mut terms, options, &mut found, GROUP)
    });
}

/// Combines every instruction set, by its position, with every number of terms.
fn cases() -> impl Iterator<Item = (usize, usize)> {
    (0..ImpactKernels::available().len()).flat_map(|set| [1, 2, 4, 8].map(|term_count| (set, term_count)))
}
