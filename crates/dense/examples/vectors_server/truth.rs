//! The exact best rows of queries, by the flat index, and how they stand in f64.

use std::path::PathBuf;

use control::Control;
use dense::Similarity;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::serve::{similarity, write_found};
use crate::{Outcome, matrix};

#[derive(Deserialize)]
pub struct Request {
    rows: PathBuf,
    count: usize,
    dim: usize,
    similarity: String,
    queries: PathBuf,
    asked: usize,
    k: usize,
    /// Gets row numbers `[asked * k]` as little-endian i32, best first, of equal scores the earlier row.
    out: PathBuf,
    /// Queries to check in f64.
    check: usize,
}

/// Writes the best rows by f32 scores, on all cores.
///
/// # Errors
///
/// If for a checked query a row is found that by f64 scores is not among the `k` best, and is further below the last of
/// them than f32 sums can be off.
pub fn write(request: Request) -> Outcome<Value> {
    let Request { rows, count, dim, queries, asked, k, out, check, .. } = request;
    let similarity = similarity(&request.similarity)?;
    let index = matrix::read_index(&rows, count, dim, similarity)?;
    let queries = matrix::read(&queries, asked, dim)?;
    let found = index.search_many(&queries, k, 0, &Control::new())?;
    write_found(&out, &found, k)?;
    let step = asked.div_ceil(check.max(1)).max(1);
    let (mut checked, mut same) = (0, 0);
    for (at, query) in queries.chunks_exact(dim).enumerate().step_by(step) {
        let scored: Vec<(f64, f64)> =
            (0..count as u32).into_par_iter().map(|row| score(similarity, query, index.vector(row))).collect();
        let mut best: Vec<u32> = (0..count as u32).collect();
        best.sort_unstable_by(|&a, &b| {
            scored[b as usize].0.total_cmp(&scored[a as usize].0).then(a.cmp(&b))
        });
        best.truncate(k);
        let mut ords: Vec<u32> = found[at].iter().map(|hit| hit.ord).collect();
        if let Some(&last) = best.last() {
            let (least, off) = scored[last as usize];
            for &ord in &ords {
                let (got, also_off) = scored[ord as usize];
                if got < least - off - also_off {
                    return Err(format!("query {at}: expected a score of {least} or more, got {got} of row {ord}").into());
                }
            }
        }
        best.sort_unstable();
        ords.sort_unstable();
        checked += 1;
        same += usize::from(best == ords);
    }
    Ok(json!({"checked": checked, "sameInF64": same}))
}

/// A score in f64, and how far one in f32 can be from it: of a sum of n products, n·ε·Σ|aᵢbᵢ| (Higham, "Accuracy and
/// Stability of Numerical Algorithms", 2002, §3.1), with the three roundings of a squared difference.
fn score(similarity: Similarity, query: &[f32], row: &[f32]) -> (f64, f64) {
    let (mut sum, mut size) = (0.0, 0.0);
    for (&a, &b) in query.iter().zip(row) {
        let (a, b) = (f64::from(a), f64::from(b));
        let term = if similarity == Similarity::L2 { -(a - b) * (a - b) } else { a * b };
        sum += term;
        size += if similarity == Similarity::L2 { (a.abs() + b.abs()).powi(2) } else { term.abs() };
    }
    (sum, (query.len() + 3) as f64 * f64::from(f32::EPSILON) * size)
}
