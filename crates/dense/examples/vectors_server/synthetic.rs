//! SYNTHETIC vectors with the shape of text embeddings, and queries for them.
//!
//! A row is mean + Σⱼ zⱼ bⱼ + noise, scaled to a length. The bⱼ are random directions. z is the center of a cluster plus an
//! offset, both Gaussian with standard deviations that fall as j^(-1/2): a few directions hold most of the variance, as in
//! embeddings, and the local intrinsic dimension is 20 to 25 whatever `dim` is. The common mean makes all cosines positive.
//! Lengths have a coefficient of variation of 5%, so that inner product, cosine and distance have different nearest neighbors.
//! A query belongs to the cluster of some row, and its offset is correlated with the row's by 0.5; its length has no meaning.
//!
//! All numbers are sums of hashed integers and square roots, which are the same on every machine. A row depends on the seed
//! and its own number only, so that n rows are the first n of any larger set.

use std::path::PathBuf;

use numerics::SplitMix64;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Outcome, matrix};

#[derive(Deserialize)]
pub struct Request {
    /// The number of rows to write.
    count: usize,
    /// The number of rows that queries are made for.
    of: usize,
    dim: usize,
    seed: u64,
    rows: PathBuf,
    asked: usize,
    queries: PathBuf,
}

/// The number of directions in which rows differ by more than noise.
const LATENT: usize = 64;
/// A million rows have about a thousand rows per cluster.
const CLUSTERS: usize = 1024;
/// Standard deviation of a cluster's center, relative to that of each direction.
const CENTER: f32 = 1.0;
/// Standard deviation of a row's offset from it, likewise.
const OFFSET: f32 = 1.0;
/// Standard deviation in each dimension, times √dim.
const NOISE: f32 = 0.35;
/// Expected length of the mean.
const MEAN: f32 = 1.5;
/// Mean length of rows.
const LENGTH_MEAN: f32 = 10.0;
/// Standard deviation of the lengths of rows.
const LENGTH_DEVIATION: f32 = 0.5;
/// Correlation of a query's offset with its row's.
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

struct Model {
    seed: u64,
    mean: Vec<f32>,
    /// `[LATENT * dim]`
    directions: Vec<f32>,
    /// `[CLUSTERS * LATENT]`
    centers: Vec<f32>,
    /// The standard deviation along each direction.
    deviations: Vec<f32>,
}

impl Model {
    fn new(dim: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, 0, 0);
        let unit = 1.0 / (dim as f32).sqrt();
        let deviations: Vec<f32> = (1..=LATENT).map(|j| 1.0 / (j as f32).sqrt()).collect();
        Self {
            seed,
            mean: (0..dim).map(|_| MEAN * unit * random.gaussian()).collect(),
            directions: (0..LATENT * dim).map(|_| unit * random.gaussian()).collect(),
            centers: (0..CLUSTERS * LATENT)
                .map(|at| CENTER * deviations[at % LATENT] * random.gaussian())
                .collect(),
            deviations,
        }
    }

    fn row(&self, number: u64, row: &mut [f32]) {
        let mut random = Random::new(self.seed, 1, number);
        let (cluster, offset) = self.offset(&mut random);
        self.place(cluster, &offset, &mut random, row);
    }

    /// A query near some row.
    fn query(&self, number: u64, rows: u64, query: &mut [f32]) {
        let mut random = Random::new(self.seed, 2, number);
        let about = random.next() % rows;
        let (cluster, mut offset) = self.offset(&mut Random::new(self.seed, 1, about));
        let fresh = (1.0 - CORRELATION * CORRELATION).sqrt();
        for (value, deviation) in offset.iter_mut().zip(&self.deviations) {
            *value = CORRELATION * *value + fresh * OFFSET * deviation * random.gaussian();
        }
        self.place(cluster, &offset, &mut random, query);
    }

    /// Draws the cluster of a row, and the row's offset from its center.
    fn offset(&self, random: &mut Random) -> (usize, [f32; LATENT]) {
        let cluster = (random.next() % CLUSTERS as u64) as usize;
        let mut offset = [0.0; LATENT];
        for (value, deviation) in offset.iter_mut().zip(&self.deviations) {
            *value = OFFSET * deviation * random.gaussian();
        }
        (cluster, offset)
    }

    fn place(&self, cluster: usize, offset: &[f32; LATENT], random: &mut Random, row: &mut [f32]) {
        let noise = NOISE / (row.len() as f32).sqrt();
        for (value, mean) in row.iter_mut().zip(&self.mean) {
            *value = mean + noise * random.gaussian();
        }
        let center = &self.centers[cluster * LATENT..][..LATENT];
        for ((direction, center), offset) in self.directions.chunks_exact(row.len()).zip(center).zip(offset) {
            let weight = center + offset;
            for (value, along) in row.iter_mut().zip(direction) {
                *value += weight * along;
            }
        }
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
        let scale = (LENGTH_MEAN + LENGTH_DEVIATION * random.gaussian()) / length;
        for value in row {
            *value *= scale;
        }
    }
}

struct Random(SplitMix64);

impl Random {
    /// An independent stream for each number of each kind.
    fn new(seed: u64, kind: u64, number: u64) -> Self {
        let first = |seed| SplitMix64::new(seed).next_u64();
        Self(SplitMix64::new(first(seed ^ (kind << 60)) ^ first(number)))
    }

    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// About normal, with mean 0 and standard deviation 1: the sum of eight uniform numbers of 16 bits, within ±4.9.
    fn gaussian(&mut self) -> f32 {
        let (a, b) = (self.next(), self.next());
        let parts =
            |bits: u64| (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        // Each has a variance of 2³²/12.
        let sum = (parts(a) + parts(b)) as f32 - 8.0 * 32767.5;
        sum * (1.5f32.sqrt() / 65536.0)
    }
}
