//! Exact search beside what the machine can do: an item is a floating-point operation, two for each product, so that
//! Gitem/s are GFLOP/s.
//!
//! `cargo bench -p dense --bench scan`
#![allow(unsafe_code, reason = "the measured limits are loops for one CPU's instructions")]

use control::Control;
use dense::{FlatIndex, Similarity};
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use serde_json::Value;

/// Rows and their dimension.
const SHAPES: [(usize, usize); 3] = [(50_000, 384), (200_000, 384), (100_000, 768)];
const QUERIES: usize = 1000;

fn main() {
    divan::main();
}

/// The peak: multiply-adds that wait for nothing, sixteen at a time.
#[divan::bench(sample_count = 500)]
fn multiply_adds(bencher: Bencher<'_, '_>) {
    const STEPS: usize = 50_000;
    let lanes = limits::multiply_adds(1).1;
    bencher
        .counter(ItemsCount::new(STEPS * limits::CHAINS * lanes * 2))
        .bench(|| limits::multiply_adds(STEPS));
}

/// The read bandwidth: the sum of all numbers of the rows.
#[divan::bench(args = SHAPES, sample_count = 20)]
fn sum(bencher: Bencher<'_, '_>, (rows, dim): (usize, usize)) {
    let index = index(rows, dim);
    // The rows lie one behind the other.
    let vectors: Vec<_> = (0..rows as u32).map(|ord| index.vector(ord)).collect();
    let vectors: Vec<&[f32]> = vectors.iter().map(AsRef::as_ref).collect();
    bencher.counter(BytesCount::new(rows * dim * 4)).bench(|| limits::sum(&vectors));
}

#[divan::bench(args = SHAPES, sample_count = 20)]
fn one_query_top_100(bencher: Bencher<'_, '_>, (rows, dim): (usize, usize)) {
    let (index, query) = (index(rows, dim), numbers(dim, 1));
    let search = || index.search(black_box(&query), 100, &Control::new());
    bencher.counter(BytesCount::new(rows * dim * 4)).bench(search);
}

#[divan::bench(args = SHAPES, sample_count = 3, sample_size = 1)]
fn a_thousand_queries_top_100(bencher: Bencher<'_, '_>, (rows, dim): (usize, usize)) {
    many(bencher, rows, dim, 100);
}

#[divan::bench(args = [SHAPES[0]], sample_count = 3, sample_size = 1)]
fn a_thousand_queries_top_1000(bencher: Bencher<'_, '_>, (rows, dim): (usize, usize)) {
    many(bencher, rows, dim, 1000);
}

fn many(bencher: Bencher<'_, '_>, rows: usize, dim: usize, k: usize) {
    let (index, queries) = (index(rows, dim), numbers(QUERIES * dim, 1));
    let search = || index.search_many(black_box(&queries), k, 1, &Control::new());
    bencher.counter(ItemsCount::new(QUERIES * rows * dim * 2)).bench(search);
}

fn index(rows: usize, dim: usize) -> FlatIndex {
    let mut index = FlatIndex::new(dim, Similarity::Dot, Value::Null).expect("a dimension");
    let ids = (0..rows).map(|row| row.to_string()).collect();
    index.add(ids, &numbers(rows * dim, 0)).expect("sound rows");
    index
}

/// About normal, by splitmix64.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let number = |at: u64| {
        let mut z = (seed << 48 | at).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        [z & 0xFFFF, z >> 16 & 0xFFFF, z >> 32 & 0xFFFF].iter().map(|&part| part as f32 / 32768.0 - 1.0).sum()
    };
    (0..count as u64).map(number).collect()
}

/// What the machine can do on one thread.
mod limits {
    /// More than the latency of a multiply-add times how many begin in one cycle.
    pub const CHAINS: usize = 16;

    /// Runs `steps` multiply-adds of each chain; returns a sum, for nobody, and how many lanes a chain has.
    pub fn multiply_adds(steps: usize) -> (f32, usize) {
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("avx512f") {
                // SAFETY: the CPU has what the function needs.
                return (unsafe { x86_64::avx512(steps) }, 16);
            }
            if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                // SAFETY: the CPU has what the function needs.
                return (unsafe { x86_64::avx2(steps) }, 8);
            }
        }
        let mut chains = [[0.0f32; 4]; CHAINS];
        let (a, b) = (super::black_box(1.0f32), super::black_box(0.5f32));
        for _ in 0..steps {
            chains.iter_mut().flatten().for_each(|sum| *sum = a.mul_add(b, *sum));
        }
        (chains.iter().flatten().sum(), 4)
    }

    /// Adds up all numbers.
    pub fn sum(rows: &[&[f32]]) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx512f") {
            // SAFETY: the CPU has what the function needs.
            return unsafe { x86_64::sum_avx512(rows) };
        }
        sum_lanes(rows)
    }

    #[inline(always)]
    fn sum_lanes(rows: &[&[f32]]) -> f32 {
        let mut lanes = [0.0f32; 128];
        for row in rows {
            for part in row.as_chunks::<128>().0 {
                lanes.iter_mut().zip(part).for_each(|(lane, number)| *lane += number);
            }
        }
        lanes.iter().sum()
    }

    #[cfg(target_arch = "x86_64")]
    mod x86_64 {
        use std::arch::x86_64::{
            _mm256_add_ps, _mm256_cvtss_f32, _mm256_fmadd_ps, _mm256_set1_ps, _mm512_add_ps,
            _mm512_cvtss_f32, _mm512_fmadd_ps, _mm512_set1_ps,
        };

        use super::super::black_box;
        use super::{CHAINS, sum_lanes};

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
            // Fewer than `CHAINS` at once, for 16 registers hold the factors too.
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
        pub fn sum_avx512(rows: &[&[f32]]) -> f32 {
            sum_lanes(rows)
        }
    }
}
