//! Counts the instructions of the parts of a search with callgrind.
//!
//! `npm run guard` runs all cases and compares the counts with those in `record.json`. It installs gungraun's runner in
//! `target/tools/bin`; with that folder on the `PATH`, `cargo bench -p instructions -- '*one_query*'` runs chosen cases and
//! shows what changed since their last run.
//!
//! A case counts the function of its name, on one thread. Its argument is made before, and caches are warm. All data have
//! fixed seeds. The CPU that valgrind emulates has AVX2 but not AVX-512, so the AVX2 kernels are counted on every x86-64
//! machine that supports them.

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
