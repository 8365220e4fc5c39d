//! The number types in which vectors are stored, with their kernels.

use std::borrow::Cow;

use bytemuck::{AnyBitPattern, NoUninit};
use kernels::Kernels;

use crate::Error;

/// A number in a stored vector: `f32`, or `u16` for the bits of a number in half precision (`half.rs`).
pub(crate) trait Element: AnyBitPattern + NoUninit + Sync {
    /// Converts the vectors `[n * dim]`, which are already [prepared](crate::Similarity::prepare), to their stored
    /// form. Fails with [`Error::Range`] if a number is too large for it.
    fn encode<'a>(dim: usize, vectors: Cow<'a, [f32]>) -> Result<Cow<'a, [Self]>, Error>;

    /// Converts stored numbers to single precision.
    fn decode(stored: &[Self]) -> Cow<'_, [f32]>;

    /// [Decodes](Self::decode) into `buffer`, which has the same length, and returns `buffer`; for `f32`, returns
    /// `stored` itself.
    fn decode_into<'a>(stored: &'a [Self], buffer: &'a mut [f32]) -> &'a [f32];

    /// Computes the inner products `[n]` of a vector and consecutive stored rows `[n * dim]`.
    fn products(vector: &[f32], rows: &[Self], products: &mut [f32]);

    /// Computes the squared Euclidean distances `[n]` between a vector and consecutive stored rows `[n * dim]`.
    fn squared_distances(vector: &[f32], rows: &[Self], distances: &mut [f32]);

    /// Returns the inner product of a vector and a stored row, with the same bits as [`products`](Self::products).
    fn product(vector: &[f32], row: &[Self]) -> f32 {
        let mut products = [0.0];
        Self::products(vector, row, &mut products);
        products[0]
    }

    /// Returns the squared distance between a vector and a stored row, with the same bits as
    /// [`squared_distances`](Self::squared_distances).
    fn squared_distance(vector: &[f32], row: &[Self]) -> f32 {
        let mut distances = [0.0];
        Self::squared_distances(vector, row, &mut distances);
        distances[0]
    }
}

impl Element for f32 {
    fn encode<'a>(_: usize, vectors: Cow<'a, [f32]>) -> Result<Cow<'a, [Self]>, Error> {
        Ok(vectors)
    }

    fn decode(stored: &[Self]) -> Cow<'_, [f32]> {
        Cow::Borrowed(stored)
    }

    fn decode_into<'a>(stored: &'a [Self], _: &'a mut [f32]) -> &'a [f32] {
        stored
    }

    fn products(vector: &[f32], rows: &[Self], products: &mut [f32]) {
        Kernels::detect().score_rows(vector, rows, products);
    }

    fn squared_distances(vector: &[f32], rows: &[Self], distances: &mut [f32]) {
        Kernels::detect().squared_l2_block(vector.len(), vector, rows, distances);
    }

    fn product(vector: &[f32], row: &[Self]) -> f32 {
        Kernels::detect().dot(vector, row)
    }

    fn squared_distance(vector: &[f32], row: &[Self]) -> f32 {
        Kernels::detect().squared_l2(vector, row)
    }
}
