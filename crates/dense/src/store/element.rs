use std::borrow::Cow;

use bytemuck::{AnyBitPattern, NoUninit};
use kernels::Kernels;

use crate::Error;

/// A number as it is stored.
pub(crate) trait Element: AnyBitPattern + NoUninit + Sync {
    /// Prepared vectors as they are stored.
    fn encode<'a>(dim: usize, vectors: Cow<'a, [f32]>) -> Result<Cow<'a, [Self]>, Error>;

    /// Stored numbers as they are compared.
    fn decode(stored: &[Self]) -> Cow<'_, [f32]>;

    /// [`decode`](Self::decode) into `room` of the same length, which is left alone if numbers are compared as they are.
    fn decode_into<'a>(stored: &'a [Self], room: &'a mut [f32]) -> &'a [f32];

    /// Inner products of a vector and the stored rows `[n * dim]`, which are in memory one after the other.
    fn products(vector: &[f32], rows: &[Self], products: &mut [f32]);

    /// Squared distances of a vector and the stored rows `[n * dim]`, which are in memory one after the other.
    fn squared_distances(vector: &[f32], rows: &[Self], distances: &mut [f32]);

    /// The inner product of a vector and a stored row, with the bits that it has in [`products`](Self::products).
    fn product(vector: &[f32], row: &[Self]) -> f32 {
        let mut products = [0.0];
        Self::products(vector, row, &mut products);
        products[0]
    }

    /// The squared distance of a vector and a stored row, with the bits that it has in
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
