use std::ops::Range;

use kernels::ByteRows;
use kernels::int4::{Int4Kernels, Int4Query, unpack};
use kernels::int8::{BOUND_ROWS, Int8Bound, Int8Kernels, Int8Queries, Int8RowBounds, Int8Rows};

use super::query::{Target, Values, to_bytes};
use super::rotation::Rotation;
use super::sign_sketch::{Reach, RoughTarget, RoughView};
use crate::similarity::squared_length;

/// Codes while they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodesView<'a> {
    pub(super) dim: usize,
    pub(super) rotation: &'a Rotation,
    pub(super) rows: Rows<'a>,
    pub(super) scales: &'a [f32],
    /// None but for [`Similarity::L2`](crate::Similarity::L2).
    pub(super) biases: &'a [f32],
    pub(super) rough: Option<RoughView<'a>>,
}

/// The codes themselves, of half a byte or of a byte a number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rows<'a> {
    Four(&'static Int4Kernels, ByteRows<'a>),
    Eight(&'static Int8Kernels, Int8Rows<'a>),
}

impl<'a> CodesView<'a> {
    /// What a vector makes of rows: x·y, for [`Similarity::L2`](crate::Similarity::L2) less |y|²/2.
    pub fn target(&self, vector: &[f32]) -> Target {
        let mut rotated = vector.to_vec();
        self.rotation.apply(&mut rotated);
        let mut bytes = Vec::with_capacity(self.dim);
        let scale = to_bytes(&rotated, &mut bytes);
        let length = squared_length(vector).sqrt() as f32;
        let biased = !self.biases.is_empty();
        let signs = self.rough.map(|rough| rough.query(&bytes));
        let (values, scale) = match self.rows {
            Rows::Four(..) => (Values::Four(Int4Query::new(&bytes)), scale / 2.0),
            Rows::Eight(..) => (Values::Eight(Int8Queries::new(self.dim, bytes)), scale),
        };
        Target { values, signs, scale, offset: 0.0, biased, length, augmented: 0.0 }
    }

    /// What a row makes of others, by its codes.
    pub fn target_of(&self, row: u32) -> Target {
        let values = match self.rows {
            Rows::Four(..) => Values::Four(Int4Query::new(&vec![0; self.dim])),
            Rows::Eight(..) => Values::Eight(Int8Queries::new(self.dim, vec![0; self.dim])),
        };
        let biased = !self.biases.is_empty();
        let mut target =
            Target { values, signs: None, scale: 0.0, offset: 0.0, biased, length: 0.0, augmented: 0.0 };
        self.turn(&mut target, row);
        target
    }

    /// Makes a target of [`target_of`](Self::target_of) that of another row.
    pub fn turn(&self, target: &mut Target, row: u32) {
        let scale = self.scale(row);
        target.offset = self.biases.get(row as usize).copied().unwrap_or(0.0);
        match (&mut target.values, self.rows) {
            (Values::Four(query), Rows::Four(_, rows)) => {
                query.set_to_row(rows.row(row), self.dim);
                target.scale = scale / 4.0;
            }
            (Values::Eight(queries), Rows::Eight(_, rows)) => {
                let values = rows.row(row as usize).iter().map(|&code| (code ^ 0x80).cast_signed());
                *queries = Int8Queries::new(self.dim, values.collect());
                target.scale = scale;
            }
            _ => unreachable!("targets are made by the codes they are for"),
        }
    }

    /// The closeness of `target` and each of the rows, by their codes: the greater the nearer, never NaN. `products` is
    /// room to work in.
    pub fn closeness(
        &self,
        target: &Target,
        rows: &[u32],
        products: &mut Vec<i32>,
        closeness: &mut Vec<f32>,
    ) {
        products.clear();
        products.resize(rows.len(), 0);
        closeness.clear();
        match (&target.values, self.rows) {
            (Values::Four(query), Rows::Four(kernels, codes)) => {
                kernels.products_of(query, codes, rows, products);
                // Twice the product with the levels, of which the middle is 7.5.
                let middle = 15 * query.sum();
                products.iter_mut().for_each(|product| *product = 2 * *product - middle);
            }
            (Values::Eight(query), Rows::Eight(kernels, codes)) => {
                kernels.products_of(query, codes, rows, products)
            }
            _ => unreachable!("targets are made by the codes they are for"),
        }
        let near = |product: i32, (bias, scale): (f32, f32)| {
            (target.offset + (product as f32 * target.scale) * scale + bias).max(f32::NEG_INFINITY)
        };
        let pairs = rows.iter().zip(products.iter());
        match self.rough {
            Some(rough) => {
                closeness.extend(pairs.map(|(&row, &product)| near(product, rough.bias_and_scale(row))))
            }
            None => closeness.extend(pairs.map(|(&row, &product)| {
                let bias = if target.biased { self.biases[row as usize] } else { 0.0 };
                near(product, (bias, self.scales[row as usize]))
            })),
        }
    }

    /// All targets in one: their values, in bytes.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn together<'t>(&self, targets: impl Iterator<Item = &'t Target>) -> Int8Queries {
        let values = targets.flat_map(|target| match &target.values {
            Values::Four(query) => &query.values()[..self.dim],
            Values::Eight(queries) => queries.query(0),
        });
        Int8Queries::new(self.dim, values.copied().collect())
    }

    /// What a product of bytes of [`together`](Self::together) and of a [`block`](Self::block) is worth: the closeness but
    /// for the offset and the augmented part.
    pub fn worth(&self, target: &Target) -> Int8Bound {
        let per_error = if target.biased { 1.0 } else { 0.0 };
        Int8Bound {
            scale: target.scale,
            per_error,
            per_length: 0.0,
            per_square: 0.0,
            constant: target.offset,
        }
    }

    /// The codes of consecutive rows a byte each, with their numbers; `bytes` is room for them.
    pub fn block<'b>(
        &'b self,
        rows: Range<u32>,
        bytes: &'b mut Vec<u8>,
    ) -> (Int8Rows<'b>, Int8RowBounds<'b>) {
        const ZEROS: [f32; BOUND_ROWS] = [0.0; BOUND_ROWS];
        let range = rows.start as usize..rows.end as usize;
        let zeros = &ZEROS[..rows.len()];
        let errors = if self.biases.is_empty() { zeros } else { &self.biases[range.clone()] };
        let numbers = Int8RowBounds { scales: &self.scales[range.clone()], errors, lengths: zeros };
        let codes = match self.rows {
            Rows::Four(_, codes) => {
                bytes.resize(rows.len() * self.dim, 0);
                for (row, bytes) in rows.zip(bytes.chunks_exact_mut(self.dim)) {
                    unpack(codes.row(row), bytes);
                    // Twice what the level is above the middle, as in a product.
                    bytes.iter_mut().for_each(|byte| *byte = 2 * *byte + (128 - 15));
                }
                Int8Rows::new(bytes, self.dim, self.dim)
            }
            Rows::Eight(_, codes) => codes.part(range),
        };
        (codes, numbers)
    }

    /// Keeps those of `rows` whose signs are within `reach`, with `more` of each row added; all of them where rows have no
    /// signs. `sums` is room to work in.
    pub fn reaching(
        &self,
        target: &Target,
        rows: &mut Vec<u32>,
        reach: Reach,
        sums: &mut Vec<i32>,
        more: impl Fn(u32) -> f32,
    ) {
        if let (Some(rough), Some(query)) = (self.rough, &target.signs) {
            // Of four bits the steps are halves.
            let target = RoughTarget { query, scale: target.scale * 2.0, length: target.length };
            rough.reaching(target, rows, reach, sums, more);
        }
    }

    /// Asks for the signs of a row to be fetched; false if it has none.
    #[inline]
    pub fn prefetch_rough(&self, row: u32) -> bool {
        self.rough.inspect(|rough| rough.prefetch(row)).is_some()
    }

    /// The standard deviation of what [`closeness`](Self::closeness) of a vector and a row is off by: numbers are off by
    /// up to half a step, evenly spread.
    pub fn deviation(&self, target: &Target, row: u32) -> f32 {
        let step = match self.rows {
            Rows::Four(..) => self.scale(row),
            // The numbers of the vector are off as much.
            Rows::Eight(..) => 2.0 * self.scale(row),
        };
        target.length * step * const { 0.288_675_13 } // 1/√12
    }

    /// Whether two rows have the same codes, as equal vectors have.
    pub fn same(&self, a: u32, b: u32) -> bool {
        self.scale(a).to_bits() == self.scale(b).to_bits() && self.row(a) == self.row(b)
    }

    /// Asks for a row to be fetched.
    #[inline]
    pub fn prefetch(&self, row: u32) {
        kernels::prefetch_bytes(self.row(row));
        if let Some(rough) = self.rough {
            rough.prefetch(row);
            return;
        }
        kernels::prefetch_bytes(bytemuck::bytes_of(&self.scales[row as usize]));
        if let Some(bias) = self.biases.get(row as usize) {
            kernels::prefetch_bytes(bytemuck::bytes_of(bias));
        }
    }

    /// What a step of a row's codes is worth.
    #[inline]
    fn scale(&self, row: u32) -> f32 {
        self.rough.map_or_else(|| self.scales[row as usize], |rough| rough.bias_and_scale(row).1)
    }

    #[inline]
    fn row(&self, row: u32) -> &'a [u8] {
        match self.rows {
            Rows::Four(_, rows) => rows.row(row),
            Rows::Eight(_, rows) => rows.row(row as usize),
        }
    }
}
