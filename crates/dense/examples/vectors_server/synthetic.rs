//! SYNTHETIC vectors with the shape of text embeddings, and queries for them.
//!
//! A row is mean + Σⱼ zⱼ bⱼ + noise, scaled to a length. The bⱼ are random directions; z is a cluster's centre plus
//! a spread, both Gaussian with standard deviations that fall with j as j^(-1/2): most of what tells rows apart lies in
//! few directions, as in embeddings, and neighbours have a local intrinsic dimension of 20 to 25 whatever `dim` is. The
//! common mean makes all cosines positive. Lengths have a coefficient of variation of 5%, so that inner product,
//! cosine and distance each have other neighbours. A query has the cluster of a row and, in correlation, half of its spread; its
//! length says nothing.
//!
//! Numbers are sums of hashed integers and square roots only: the same everywhere. A row depends on the seed and its
//! own number, so that n rows are the first n of more.

use std::path::PathBuf;

use numerics::SplitMix64;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Outcome, matrix};

#[derive(Deserialize)]
pub struct Request {
    /// Rows to write: the first of as many as there are.
    count: usize,
    of: usize,
    dim: usize,
    seed: u64,
    rows: PathBuf,
    asked: usize,
    queries: PathBuf,
}

/// Directions in which rows differ by more than noise.
const LATENT: usize = 64;
/// Rows in a cluster are about a thousand of a million.
const CLUSTERS: usize = 1024;
/// Of a cluster's centre and of the spread about it, to the first direction's.
const CENTRE: f32 = 1.0;
const SPREAD: f32 = 1.0;
/// Standard deviation in each dimension, times √dim.
const NOISE: f32 = 0.35;
/// Length of the mean.
const MEAN: f32 = 1.5;
/// Of rows: the average, and the standard deviation.
const LENGTH: (f32, f32) = (10.0, 0.5);
/// How much of a row's spread is its query's, as a correlation.
const SHARED: f32 = 0.5;

/// Writes rows and queries, on all cores.
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
    centres: Vec<f32>,
    /// Of each direction.
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
            centres: (0..CLUSTERS * LATENT)
                .map(|at| CENTRE * deviations[at % LATENT] * random.gaussian())
                .collect(),
            deviations,
        }
    }

    fn row(&self, number: u64, row: &mut [f32]) {
        let mut random = Random::new(self.seed, 1, number);
        let (cluster, spread) = self.spread(&mut random);
        self.place(cluster, &spread, &mut random, row);
    }

    /// About any of the rows.
    fn query(&self, number: u64, rows: u64, query: &mut [f32]) {
        let mut random = Random::new(self.seed, 2, number);
        let about = random.next() % rows;
        let (cluster, mut spread) = self.spread(&mut Random::new(self.seed, 1, about));
        let fresh = (1.0 - SHARED * SHARED).sqrt();
        for (value, deviation) in spread.iter_mut().zip(&self.deviations) {
            *value = SHARED * *value + fresh * SPREAD * deviation * random.gaussian();
        }
        self.place(cluster, &spread, &mut random, query);
    }

    /// The cluster of a row, and where the row is from its centre.
    fn spread(&self, random: &mut Random) -> (usize, [f32; LATENT]) {
        let cluster = (random.next() % CLUSTERS as u64) as usize;
        let mut spread = [0.0; LATENT];
        for (value, deviation) in spread.iter_mut().zip(&self.deviations) {
            *value = SPREAD * deviation * random.gaussian();
        }
        (cluster, spread)
    }

    fn place(&self, cluster: usize, spread: &[f32; LATENT], random: &mut Random, row: &mut [f32]) {
        let noise = NOISE / (row.len() as f32).sqrt();
        for (value, mean) in row.iter_mut().zip(&self.mean) {
            *value = mean + noise * random.gaussian();
        }
        let centre = &self.centres[cluster * LATENT..][..LATENT];
        for ((direction, centre), spread) in self.directions.chunks_exact(row.len()).zip(centre).zip(spread) {
            let weight = centre + spread;
            for (value, along) in row.iter_mut().zip(direction) {
                *value += weight * along;
            }
        }
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
        let scale = (LENGTH.0 + LENGTH.1 * random.gaussian()) / length;
        for value in row {
            *value *= scale;
        }
    }
}

struct Random(SplitMix64);

impl Random {
    /// A stream of its own for each number of each kind.
    fn new(seed: u64, kind: u64, number: u64) -> Self {
        let first = |seed| SplitMix64::new(seed).next_u64();
        Self(SplitMix64::new(first(seed ^ (kind << 60)) ^ first(number)))
    }

    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Of mean 0 and deviation 1: eight uniform numbers of 16 bits, added; within ±4.9.
    fn gaussian(&mut self) -> f32 {
        let (a, b) = (self.next(), self.next());
        let parts =
            |bits: u64| (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        // The variance of each is 2³²/12.
        let sum = (parts(a) + parts(b)) as f32 - 8.0 * 32767.5;
        sum * (1.5f32.sqrt() / 65536.0)
    }
}
