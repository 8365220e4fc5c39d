//! Writes the exact best rows for each query. A flat index finds these rows by their f32 scores. For some queries,
//! the rows are then checked: the scores of all rows are computed again in f64.
//!
//! Rows are read in chunks, so little memory is needed even for ten million of them. A filter may exclude some rows.

use std::collections::HashMap;
use std::path::PathBuf;

use control::Control;
use dense::{Filter, FlatIndex, Similarity};
use ranking::{Hit, by_rank};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::progress::run_with_progress;
use crate::serve::{similarity, write_found};
use crate::{Outcome, filter, matrix};

/// The value of an argument `threads` that stands for one thread per CPU.
const ALL_CORES: usize = 0;

/// The argument of `vectors_server truth`.
#[derive(Deserialize)]
pub struct Request {
    /// The file of rows.
    rows: PathBuf,
    /// The number of rows.
    count: usize,
    dim: usize,
    /// `dot` or `l2`.
    similarity: String,
    /// The file of queries.
    queries: PathBuf,
    /// The number of queries.
    asked: usize,
    /// The number of best rows to find per query.
    k: usize,
    /// The file to write: row numbers `[asked * k]` as little-endian i32, best first; rows with equal scores in
    /// ascending order of their numbers.
    out: PathBuf,
    /// The minimum number of queries to check in f64; if there are fewer queries, all are checked.
    check: usize,
    /// A file with one byte per row, which is 0 if the row must not be found. Without it, all rows may be found.
    filter: Option<PathBuf>,
}

/// A score in f64, and the maximum error of the same score in f32.
#[derive(Clone, Copy)]
struct Precise {
    score: f64,
    max_error: f64,
}

/// Writes the best rows by f32 scores, using all cores. Returns how many queries were checked, and for how many of them
/// the best rows by f64 scores are the same.
///
/// # Errors
///
/// If a row found for a checked query has an f64 score that is lower than the `k`-th best one by more than the rounding
/// errors of f32.
pub fn write(request: Request) -> Outcome<Value> {
    let Request { rows, count, dim, queries, asked, k, out, check, .. } = request;
    let similarity = similarity(&request.similarity)?;
    let queries = matrix::read(&queries, asked, dim)?;
    let allowed = request.filter.map(|path| filter::read(&path, count)).transpose()?;
    let allows = |row: usize| allowed.as_ref().is_none_or(|allowed| allowed.contains(row as u32));
    let mut found: Vec<Vec<Hit>> = vec![Vec::new(); asked];
    run_with_progress("truth", count, |progress| {
        let mut first = 0;
        matrix::for_each_chunk(&rows, count, dim, |chunk| {
            let mut index = FlatIndex::new(dim, similarity, Value::Null)?;
            let size = chunk.len() / dim;
            index.add((0..size).map(|row| row.to_string()).collect(), chunk)?;
            let allows_in_chunk = |row: u32| allows(first + row as usize);
            let filter: Option<Filter> = if allowed.is_some() { Some(&allows_in_chunk) } else { None };
            let best = index.search_many_filtered(&queries, k, ALL_CORES, filter, &Control::new())?;
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
    run_with_progress("truth in f64", count, |progress| {
        let mut first = 0;
        matrix::for_each_chunk(&rows, count, dim, |chunk| {
            checks.par_iter_mut().for_each(|check| {
                let query = &queries[check.query * dim..][..dim];
                for (at, row) in chunk.chunks_exact(dim).enumerate().filter(|(at, _)| allows(first + at)) {
                    check.offer((first + at) as u32, precise(similarity, query, row));
                }
                check.keep(k);
            });
            first += chunk.len() / dim;
            progress.advance((chunk.len() / dim) as u64);
            Ok(())
        })
    })?;
    let same = checks.iter().map(Check::has_best_rows).collect::<Outcome<Vec<bool>>>()?;
    Ok(json!({"checked": same.len(), "sameInF64": same.iter().filter(|same| **same).count()}))
}

/// Checks the rows found for one query. [`offer`](Self::offer) must be called once for each row that the filter allows.
struct Check {
    /// The number of the query, from 0.
    query: usize,
    /// The rows found by f32 scores, with their f64 scores. The score of a row is NaN until the row is offered.
    found: HashMap<u32, Precise>,
    /// The best rows by f64 scores among the rows offered.
    best: Vec<(u32, Precise)>,
}

impl Check {
    fn new(query: usize, found: &[Hit]) -> Self {
        let unknown = Precise { score: f64::NAN, max_error: 0.0 };
        let found = found.iter().map(|hit| (hit.ord, unknown)).collect();
        Self { query, found, best: Vec::new() }
    }

    /// Adds a row to the candidates for the best rows and, if it was found by f32 scores, stores its f64 score.
    fn offer(&mut self, row: u32, score: Precise) {
        if let Some(known) = self.found.get_mut(&row) {
            *known = score;
        }
        self.best.push((row, score));
    }

    /// Keeps only the `k` best of the rows offered.
    fn keep(&mut self, k: usize) {
        self.best
            .sort_unstable_by(|(a_row, a), (b_row, b)| b.score.total_cmp(&a.score).then(a_row.cmp(b_row)));
        self.best.truncate(k);
    }

    /// Returns whether the rows found by f32 scores are the best by f64 scores. Fails if a row found has an f64
    /// score that is lower than that of the last of the best rows by more than rounding errors can explain.
    fn has_best_rows(&self) -> Outcome<bool> {
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

/// Scores a row in f64. An f32 sum of n products aᵢbᵢ is off by at most n·ε·Σ|aᵢbᵢ|, with ε the machine epsilon of f32
/// (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1). In a sum of squared differences, the
/// relative rounding error of a difference counts twice, because the difference is squared; this makes n + 2 instead of
/// n. The code uses n + 3 for both sums, to be on the safe side.
fn precise(similarity: Similarity, query: &[f32], row: &[f32]) -> Precise {
    // The score, and an upper bound on the sum of the absolute values of its terms.
    let (mut sum, mut absolute_sum) = (0.0, 0.0);
    for (&a, &b) in query.iter().zip(row) {
        let (a, b) = (f64::from(a), f64::from(b));
        if similarity == Similarity::L2 {
            sum -= (a - b) * (a - b);
            absolute_sum += (a.abs() + b.abs()) * (a.abs() + b.abs());
        } else {
            sum += a * b;
            absolute_sum += (a * b).abs();
        }
    }
    Precise { score: sum, max_error: (query.len() + 3) as f64 * f64::from(f32::EPSILON) * absolute_sum }
}
