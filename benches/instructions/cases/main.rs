//! Counts the instructions that each part of a search executes, with valgrind's callgrind and the crate gungraun.
//!
//! `npm run guard` runs all cases and compares the counts with those in `record.json`. It installs gungraun's runner in
//! `target/tools/bin`. With that folder on the `PATH`, `cargo bench -p instructions -- '*one_query*'` runs the matching
//! cases and shows what changed since their last run.
//!
//! A case is a benchmark function with one argument, such as `one_query::dim_384`. The argument is created before the
//! counting starts, from fixed seeds, and caches are warm. The argument is never dropped, so the instructions of
//! dropping it are not counted. Only the instructions of the function on the calling thread are counted. The CPU that
//! valgrind emulates has AVX2 but not AVX-512, so the AVX2 kernels are counted on every x86-64 machine that supports
//! AVX2.

mod analysis;
mod bm25;
mod data;
mod evidence;
mod flat;
mod fusing;
mod hnsw;
mod model;
mod simd_kernels;
mod top;

use analysis::tokens;
use bm25::sparse_search;
use evidence::readings;
use flat::exact_search;
use fusing::fused_lists;
use gungraun::{Callgrind, LibraryBenchmarkConfig, main};
use hnsw::graph_search;
use model::models;
use simd_kernels::simd;
use top::top_k;

main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])),
    library_benchmark_groups =
        [simd, exact_search, graph_search, sparse_search, tokens, models, fused_lists, readings, top_k]
);
