//! The exact best rows of queries, found by the flat index and checked in f64.
//!
//! Rows are read in chunks, so that ten million of them need little memory. A filter may exclude some of them.

use std::collections::HashMap;
use std::path::PathBuf;

use control::Control;
use dense::{Filter, FlatIndex, Similarity};
use ranking::{Hit, by_rank};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::progress::reported;
use crate::serve::{similarity, write_found};
use crate::{Outcome, filter, matrix};

#[derive(Deserialize)]
pub struct Request {
    rows: PathBuf,
    count: usize,
    dim: usize,
    similarity: String,
    queries: PathBuf,
    asked: usize,
    k: usize,
    /// The file to write: row numbers `[asked * k]` as little-endian i32, best first; of equal scores, the earlier row.
    out: PathBuf,
    /// The minimum number of queries to check in f64.
    check: usize,
    /// A file of one byte per row: whether it may be found. Without it, all rows may.
    filter: Option<PathBuf>,
}

/// A score in f64, and the maximum error of the same score in f32.
#[derive(Clone, Copy)]
struct Precise {
    score: f64,
    max_error: f64,
}

/// Writes the best rows by f32 scores, using all cores.
///
/// # Errors
///
/// If a row found for a checked query is not among the `k` best by f64 scores, and is further below the last of them than the
/// rounding of f32 can explain.
pub fn write(request: Request) -> Outcome<Value> {
    let Request { rows, count, dim, queries, asked, k, out, check, .. } = request;
    let similarity = similarity(&request.similarity)?;
    let queries = matrix::read(&queries, asked, dim)?;
    let allowed = request.filter.map(|path| filter::read(&path, count)).transpose()?;
    let allows = |row: usize| allowed.as_ref().is_none_or(|allowed| allowed.contains(row as u32));
    let mut found: Vec<Vec<Hit>> = vec![Vec::new(); asked];
    reported("truth", count, |progress| {
        let mut first = 0;
        matrix::for_each_chunk(&rows, count, dim, |part| {
            let mut index = FlatIndex::new(dim, similarity, Value::Null)?;
            let size = part.len() / dim;
            index.add((0..size).map(|row| row.to_string()).collect(), part)?;
            let filter = |row: u32| allows(first + row as usize);
            let filter: Option<Filter> = if allowed.is_some() { Some(&filter) } else { None };
            let best = index.search_many_filtered(&queries, k, 0, filter, &Control::new())?;
            for (hits, more) in found.iter_mut().zip(best) {
                hits.extend(more.into_iter().map(|hit| Hit { ord: hit.ord + first as u32, ..hit }));
                hits.sort_unstable_by(by_rank);
                hits.truncate(k);
            }
            first += size;
            progress.advance(size as u64);
            Ok(())
        })
    })?;
    write_found(&out, &found, k)?;

    let step = (asked / check.max(1)).max(1);
    let mut checks: Vec<Check> =
        (0..asked).step_by(step).map(|query| Check::new(query, &found[query])).collect();
    reported("truth in f64", count, |progress| {
        let mut first = 0;
        matrix::for_each_chunk(&rows, count, dim, |part| {
            checks.par_iter_mut().for_each(|check| {
                let query = &queries[check.query * dim..][..dim];
                for (at, row) in part.chunks_exact(dim).enumerate().filter(|(at, _)| allows(first + at)) {
                    check.offer((first + at) as u32, precise(similarity, query, row));
                }
                check.keep(k);
            });
            first += part.len() / dim;
            progress.advance((part.len() / dim) as u64);
            Ok(())
        })
    })?;
    let same = checks.iter().map(Check::same).collect::<Outcome<Vec<bool>>>()?;
    Ok(json!({"checked": same.len(), "sameInF64": same.iter().filter(|same| **same).count()}))
}

/// The check of one query.
struct Check {
    query: usize,
    /// The rows found by f32 scores; NaN until they are offered.
    found: HashMap<u32, Precise>,
    /// The best rows by f64 scores among those offered.
    best: Vec<(u32, Precise)>,
}

impl Check {
    fn new(query: usize, found: &[Hit]) -> Self {
        let unknown = Precise { score: f64::NAN, max_error: 0.0 };
        let found = found.iter().map(|hit| (hit.ord, unknown)).collect();
        Self { query, found, best: Vec::new() }
    }

    fn offer(&mut self, row: u32, score: Precise) {
        if let Some(known) = self.found.get_mut(&row) {
            *known = score;
        }
        self.best.push((row, score));
    }

    fn keep(&mut self, k: usize) {
        self.best
            .sort_unstable_by(|(a_row, a), (b_row, b)| b.score.total_cmp(&a.score).then(a_row.cmp(b_row)));
        self.best.truncate(k);
    }

    /// Whether the rows found by f32 scores are the best by f64 scores.
    fn same(&self) -> Outcome<bool> {
        let Some(&(_, worst)) = self.best.last() else { return Ok(self.found.is_empty()) };
        for (row, got) in &self.found {
            if got.score.is_nan() || got.score < worst.score - worst.max_error - got.max_error {
                let (query, expected, got) = (self.query, worst.score, got.score);
                return Err(format!(
                    "query {query}: expected a score of {expected} or more, got {got} of row {row}"
                )
                .into());
            }
        }
        Ok(self.best.iter().all(|(row, _)| self.found.contains_key(row)))
    }
}

/// Scores a row in f64. The f32 sum of n products is off by at most n·ε·Σ|aᵢbᵢ| (Higham, "Accuracy and Stability of
/// Numerical Algorithms", 2002, section 3.1); squared differences take three more roundings.
fn precise(similarity: Similarity, query: &[f32], row: &[f32]) -> Precise {
    let (mut sum, mut size) = (0.0, 0.0);
    for (&a, &b) in query.iter().zip(row) {
        let (a, b) = (f64::from(a), f64::from(b));
        if similarity == Similarity::L2 {
            sum -= (a - b) * (a - b);
            size += (a.abs() + b.abs()) * (a.abs() + b.abs());
        } else {
            sum += a * b;
            size += (a * b).abs();
        }
    }
    Precise { score: sum, max_error: (query.len() + 3) as f64 * f64::from(f32::EPSILON) * size }
}
