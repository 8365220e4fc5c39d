//! Test data for all kinds of indexes, and the scores that indexes should compute, by definition.
#![allow(dead_code, reason = "each test file uses only some of these items")]

pub mod graph;

use std::io::Read;
use std::path::PathBuf;

use dense::Similarity;
use kernels::reference;
use numerics::SplitMix64;

pub const SIMILARITIES: [Similarity; 3] = [Similarity::Dot, Similarity::Cosine, Similarity::L2];

/// Returns the ids of a range of rows: `p0`, `p1`, …
pub fn ids(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|row| format!("p{row}")).collect()
}

/// Returns random rows `[rows * dim]` with numbers from the uniform distribution over [−1, 1).
pub fn uniform(rows: usize, dim: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..rows * dim).map(|_| random.uniform()).collect()
}

/// Returns random rows `[rows * dim]` around the centers of `clusters` clusters. The lengths of the rows in a cluster
/// vary by a factor of about two.
pub fn clustered(rows: usize, dim: usize, clusters: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    let centers: Vec<f32> = (0..clusters * dim).map(|_| random.roughly_normal()).collect();
    let mut vectors = Vec::with_capacity(rows * dim);
    for _ in 0..rows {
        let center = (random.next_u64() as usize % clusters) * dim;
        let length = 1.0 + 0.3 * random.uniform();
        vectors.extend(
            (0..dim).map(|column| length * (centers[center + column] + 0.5 * random.roughly_normal())),
        );
    }
    vectors
}

/// Returns the score of a query and a row by its definition, in double precision, and the maximum error of the score
/// that an index computes.
pub fn score(similarity: Similarity, query: &[f32], row: &[f32]) -> (f64, f64) {
    match similarity {
        Similarity::Dot => (reference::dot(query, row), reference::dot_error(query, row)),
        Similarity::L2 => (-reference::squared_l2(query, row), reference::squared_l2_error(query, row)),
        Similarity::Cosine => {
            let length = |x: &[f32]| reference::dot(x, x).sqrt();
            let lengths = length(query) * length(row);
            // An index also rounds both vectors when it scales them to length 1. That is one more relative error of at
            // most EPSILON / 2 per factor of each product, and Σ |qᵢ·xᵢ| ≤ |q|·|x| = 1, so in total at most EPSILON.
            // The bound used here is twice that.
            let scaling = 2.0 * f64::from(f32::EPSILON);
            (reference::dot(query, row) / lengths, reference::dot_error(query, row) / lengths + scaling)
        }
    }
}

/// Returns the path of a folder of the shared test data (`PASSAGEKIT_SHARED`); `None` if it does not exist.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("PASSAGEKIT_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: shared data is absent");
    None
}

/// Reads a `.fvecs.gz` or `.ivecs.gz` file, in which each row begins with its dimension as i32. Returns the dimension
/// and the numbers of all rows, as raw bits.
pub fn vecs(path: PathBuf) -> (usize, Vec<u32>) {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).expect("readable");
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let dim = words[0] as usize;
    (dim, words.chunks_exact(dim + 1).flat_map(|row| row[1..].iter().copied()).collect())
}

/// Reads a `.fvecs.gz` file. Returns the dimension and the numbers of all rows.
pub fn fvecs(path: PathBuf) -> (usize, Vec<f32>) {
    let (dim, words) = vecs(path);
    (dim, words.into_iter().map(f32::from_bits).collect())
}
