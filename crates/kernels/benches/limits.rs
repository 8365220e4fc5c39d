//! Measures two limits of one thread on this machine, with which the results of other benchmarks can be compared:
//! floating-point operations per second (two per multiply-add), and bytes per second read from memory.
//!
//! Run `cargo bench -p kernels --bench limits`.
#![allow(unsafe_code, reason = "loops for certain instruction sets")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Multiply-adds in independent chains, so that none waits for the result of another chain.
#[divan::bench(sample_count = 500)]
fn peak(bencher: Bencher<'_, '_>) {
    const STEPS: usize = 50_000;
    let lanes = multiply_adds(1).1;
    bencher.counter(ItemsCount::new(STEPS * CHAINS * lanes * 2)).bench(|| multiply_adds(STEPS));
}

/// Adds up an array of numbers of the given size in megabytes. The sizes are those of 50,000 and 200,000 vectors of
/// dimension 384, which do not fit in most caches (see `crates/dense/benches/scan.rs`).
#[divan::bench(args = [77, 307], sample_count = 20)]
fn read(bencher: Bencher<'_, '_>, megabytes: usize) {
    let numbers = vec![1.0; megabytes * 250_000];
    bencher.counter(BytesCount::new(numbers.len() * 4)).bench(|| sum(black_box(&numbers)));
}

/// Number of independent chains of multiply-adds. It exceeds the latency of a multiply-add (about 4 cycles) times the
/// number of multiply-adds that start per cycle (at most 2), so all units are busy.
const CHAINS: usize = 16;

/// Runs `steps` multiply-adds in each lane of each chain. Returns the sum of some results, so that the compiler does
/// not remove the work, and the number of lanes of a chain.
fn multiply_adds(steps: usize) -> (f32, usize) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            // SAFETY: the CPU has the features that the function needs.
            return (unsafe { x86_64::avx512(steps) }, 16);
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: the CPU has the features that the function needs.
            return (unsafe { x86_64::avx2(steps) }, 8);
        }
    }
    let mut chains = [[0.0f32; 4]; CHAINS];
    let (a, b) = (black_box(1.0f32), black_box(0.5f32));
    for _ in 0..steps {
        chains.iter_mut().flatten().for_each(|sum| *sum = a.mul_add(b, *sum));
    }
    (chains.iter().flatten().sum(), 4)
}

/// Returns the sum of the numbers. Up to 127 numbers at the end are left out, so that the loop adds whole registers.
fn sum(numbers: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512f") {
        // SAFETY: the CPU has the features that the function needs.
        return unsafe { x86_64::sum_avx512(numbers) };
    }
    sum_lanes(numbers)
}

/// Does the work of [`sum`] in 128 lanes, with the instructions that the caller's CPU features allow.
#[inline(always)]
fn sum_lanes(numbers: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 128];
    for part in numbers.as_chunks::<128>().0 {
        lanes.iter_mut().zip(part).for_each(|(lane, number)| *lane += number);
    }
    lanes.iter().sum()
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::{
        _mm256_add_ps, _mm256_cvtss_f32, _mm256_fmadd_ps, _mm256_set1_ps, _mm512_add_ps, _mm512_cvtss_f32,
        _mm512_fmadd_ps, _mm512_set1_ps,
    };

    use super::{CHAINS, black_box, sum_lanes};

    #[target_feature(enable = "avx512f")]
    pub fn avx512(steps: usize) -> f32 {
        let (a, b) = (_mm512_set1_ps(black_box(1.0)), _mm512_set1_ps(black_box(0.5)));
        let mut chains = [a; CHAINS];
        for _ in 0..steps {
            chains.iter_mut().for_each(|sum| *sum = _mm512_fmadd_ps(a, b, *sum));
        }
        _mm512_cvtss_f32(chains.into_iter().fold(a, |sum, chain| _mm512_add_ps(sum, chain)))
    }

    #[target_feature(enable = "avx2,fma")]
    pub fn avx2(steps: usize) -> f32 {
        let (a, b) = (_mm256_set1_ps(black_box(1.0)), _mm256_set1_ps(black_box(0.5)));
        // Half of `CHAINS` at a time, because the 16 registers also hold the factors. Eight chains still cover a
        // latency of 4 cycles.
        let mut sum = a;
        for _ in 0..2 {
            let mut chains = [a; CHAINS / 2];
            for _ in 0..steps {
                chains.iter_mut().for_each(|sum| *sum = _mm256_fmadd_ps(a, b, *sum));
            }
            sum = chains.into_iter().fold(sum, |sum, chain| _mm256_add_ps(sum, chain));
        }
        _mm256_cvtss_f32(sum)
    }

    #[target_feature(enable = "avx512f")]
    pub fn sum_avx512(numbers: &[f32]) -> f32 {
        sum_lanes(numbers)
    }
}
