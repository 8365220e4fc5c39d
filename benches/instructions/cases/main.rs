//! Instructions that parts of a search take, counted by callgrind.
//!
//! `npm run guard` runs all cases and compares them with `record.json`. With `target/tools/bin` on the `PATH`, where that
//! puts gungraun's runner, `cargo bench -p instructions -- '*one_query*'` runs some, and shows what changed since they ran
//! last.
//!
//! What a case counts is the function of its name, on one thread; its argument is made, and warm, before. All data come of
//! fixed seeds. Valgrind's CPU has AVX2 and no AVX-512, so the kernels of AVX2 are counted on every x86-64 machine that has
//! them.

mod analysis;
mod bm25;
mod data;
mod evidence;
mod flat;
mod fusing;
mod hnsw;
mod products;
mod top;

use analysis::tokens;
use bm25::sparse_search;
use evidence::readings;
use flat::exact_search;
use fusing::fused_lists;
use gungraun::{Callgrind, LibraryBenchmarkConfig, main};
use hnsw::graph_search;
use products::inner_products;
use top::top_k;

main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])),
    library_benchmark_groups =
        [inner_products, exact_search, graph_search, sparse_search, tokens, fused_lists, readings, top_k]
);
