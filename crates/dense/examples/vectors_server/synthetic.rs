//! Writes synthetic vectors with properties of text embeddings, and queries for them.
//!
//! A row is mean + Σⱼ zⱼ bⱼ + noise, scaled to a random length. The bⱼ are random directions. z is the center of a
//! cluster plus an offset, both Gaussian with standard deviations that decrease as j^(−1/2). A few directions therefore
//! have most of the variance, as in embeddings, and the local intrinsic dimension is 20 to 25 for any `dim`. The common
//! mean makes most cosines positive. The standard deviation of the lengths is 5% of their mean, so inner product,
//! cosine and distance have different nearest neighbors. A query belongs to the cluster of some row, and its offset has
//! a correlation of 0.5 with that of the row. Its length is drawn like that of a row.
//!
//! All numbers are computed from pseudorandom integers by basic arithmetic and square roots, which give the same
//! results on every machine. For a given `dim`, a row depends only on the seed and its row number, so the n rows of a
//! set are the first n rows of any larger set.

use std::path::PathBuf;

use numerics::SplitMix64;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Outcome, matrix};

/// The argument of `vectors_server synthesize`.
#[derive(Deserialize)]
pub struct Request {
    /// The number of rows to write.
    count: usize,
    /// The number of rows of the full data set; `count` may be smaller. Each query is near a random row of the full
    /// data set.
    of: usize,
    dim: usize,
    seed: u64,
    /// The file of rows to write.
    rows: PathBuf,
    /// The number of queries to write.
    asked: usize,
    /// The file of queries to write.
    queries: PathBuf,
}

/// The number of directions in which rows differ by more than noise.
const NUM_DIRECTIONS: usize = 64;
/// The number of clusters; of a million rows, each cluster has about a thousand.
const NUM_CLUSTERS: usize = 1024;
/// The standard deviation of a cluster's center along direction j (from 1), times √j.
const CENTER_DEVIATION: f32 = 1.0;
/// The standard deviation of a row's offset from the center along direction j (from 1), times √j.
const OFFSET_DEVIATION: f32 = 1.0;
/// The standard deviation of the noise in each dimension, times √dim.
const NOISE_DEVIATION: f32 = 0.35;
/// The approximate length of the mean vector.
const MEAN_LENGTH: f32 = 1.5;
/// The mean of the lengths of rows.
const ROW_LENGTH_MEAN: f32 = 10.0;
/// The standard deviation of the lengths of rows.
const ROW_LENGTH_DEVIATION: f32 = 0.5;
/// The correlation of a query's offset with that of its row.
const CORRELATION: f32 = 0.5;

/// Writes rows and queries, using all cores.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(request: Request) -> Outcome<Value> {
    let Request { count, of, dim, seed, rows, asked, queries } = request;
    let model = Model::new(dim, seed);
    matrix::write(&rows, count, dim, |first, chunk| {
        chunk.par_chunks_exact_mut(dim).enumerate().for_each(|(at, row)| model.row((first + at) as u64, row));
    })?;
    matrix::write(&queries, asked, dim, |first, chunk| {
        chunk
            .par_chunks_exact_mut(dim)
            .enumerate()
            .for_each(|(at, query)| model.query((first + at) as u64, of as u64, query));
    })?;
    Ok(json!({"rows": count, "queries": asked, "dim": dim}))
}

/// The distribution from which rows and queries are drawn.
struct Model {
    seed: u64,
    /// The vector that all rows and queries have in common: `[dim]`
    mean: Vec<f32>,
    /// Random vectors with lengths near 1: `[NUM_DIRECTIONS * dim]`
    directions: Vec<f32>,
    /// The coordinates of the centers along the directions: `[NUM_CLUSTERS * NUM_DIRECTIONS]`
    centers: Vec<f32>,
    /// 1 / √j for each direction j, from 1: the standard deviations of centers and offsets, before they are multiplied
    /// by [`CENTER_DEVIATION`] and [`OFFSET_DEVIATION`].
    deviations: Vec<f32>,
}

impl Model {
    fn new(dim: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, 0, 0);
        let unit = 1.0 / (dim as f32).sqrt();
        let deviations: Vec<f32> = (1..=NUM_DIRECTIONS).map(|j| 1.0 / (j as f32).sqrt()).collect();
        Self {
            seed,
            mean: (0..dim).map(|_| MEAN_LENGTH * unit * random.gaussian()).collect(),
            directions: (0..NUM_DIRECTIONS * dim).map(|_| unit * random.gaussian()).collect(),
            centers: (0..NUM_CLUSTERS * NUM_DIRECTIONS)
                .map(|at| CENTER_DEVIATION * deviations[at % NUM_DIRECTIONS] * random.gaussian())
                .collect(),
            deviations,
        }
    }

    /// Computes the row with this number.
    fn row(&self, number: u64, row: &mut [f32]) {
        let mut random = Random::new(self.seed, 1, number);
        let (cluster, offset) = self.offset(&mut random);
        self.place(cluster, &offset, &mut random, row);
    }

    /// Computes the query with this number, which is near one of the first `num_rows` rows.
    fn query(&self, number: u64, num_rows: u64, query: &mut [f32]) {
        let mut random = Random::new(self.seed, 2, number);
        let near_row = random.next() % num_rows;
        // The same draws as in `row`.
        let (cluster, mut offset) = self.offset(&mut Random::new(self.seed, 1, near_row));
        let independent = (1.0 - CORRELATION * CORRELATION).sqrt();
        for (value, deviation) in offset.iter_mut().zip(&self.deviations) {
            *value = CORRELATION * *value + independent * OFFSET_DEVIATION * deviation * random.gaussian();
        }
        self.place(cluster, &offset, &mut random, query);
    }

    /// Draws the cluster of a row, and the row's offset from the cluster's center.
    fn offset(&self, random: &mut Random) -> (usize, [f32; NUM_DIRECTIONS]) {
        let cluster = (random.next() % NUM_CLUSTERS as u64) as usize;
        let mut offset = [0.0; NUM_DIRECTIONS];
        for (value, deviation) in offset.iter_mut().zip(&self.deviations) {
            *value = OFFSET_DEVIATION * deviation * random.gaussian();
        }
        (cluster, offset)
    }

    /// Computes the vector of a row or query from its cluster and its offset, and draws its noise and its length.
    fn place(&self, cluster: usize, offset: &[f32; NUM_DIRECTIONS], random: &mut Random, row: &mut [f32]) {
        let noise = NOISE_DEVIATION / (row.len() as f32).sqrt();
        for (value, mean) in row.iter_mut().zip(&self.mean) {
            *value = mean + noise * random.gaussian();
        }
        let center = &self.centers[cluster * NUM_DIRECTIONS..][..NUM_DIRECTIONS];
        for ((direction, center), offset) in self.directions.chunks_exact(row.len()).zip(center).zip(offset) {
            let weight = center + offset;
            for (value, along) in row.iter_mut().zip(direction) {
                *value += weight * along;
            }
        }
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
        let scale = (ROW_LENGTH_MEAN + ROW_LENGTH_DEVIATION * random.gaussian()) / length;
        for value in row {
            *value *= scale;
        }
    }
}

/// A random number generator.
struct Random(SplitMix64);

impl Random {
    /// Returns a generator whose sequence is determined by `seed`, `kind` (0: model, 1: row, 2: query) and `number`
    /// (the row or query number; 0 for the model).
    fn new(seed: u64, kind: u64, number: u64) -> Self {
        let hash = |value| SplitMix64::new(value).next_u64();
        Self(SplitMix64::new(hash(seed ^ (kind << 60)) ^ hash(number)))
    }

    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws from a nearly normal distribution with mean 0 and standard deviation 1, within ±4.9: the scaled sum of
    /// eight uniform numbers of 16 bits.
    fn gaussian(&mut self) -> f32 {
        let (a, b) = (self.next(), self.next());
        let sum_of_four =
            |bits: u64| (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        // Each of the eight numbers has a mean of 32767.5 and a variance of 2³²/12, so their sum has a standard
        // deviation of 65536 / √1.5.
        let sum = (sum_of_four(a) + sum_of_four(b)) as f32 - 8.0 * 32767.5;
        sum * (1.5f32.sqrt() / 65536.0)
    }
}
