//! Rows of 8-bit codes, and queries that are multiplied with them.

#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

/// Maximum dimension. It ensures that no sum of products of bytes overflows 32 bits: 255 · 128 · 65,536 < 2³¹.
pub const MAX_DIM: usize = 1 << 16;

/// The largest number of bytes that a kernel loads at once.
pub(super) const MAX_CHUNK: usize = 64;

/// Rows of `dim` bytes, where each byte `b` stands for the code `b − 128`.
#[derive(Debug, Clone, Copy)]
pub struct Int8Rows<'a> {
    bytes: &'a [u8],
    dim: usize,
    stride: usize,
    count: usize,
}

impl<'a> Int8Rows<'a> {
    /// Interprets `bytes` as rows of `dim` bytes that start `stride` bytes apart. The bytes between the end of a row
    /// and the start of the next are ignored. After the last row, these bytes may be missing.
    ///
    /// # Panics
    ///
    /// If the dimension is 0 or above [`MAX_DIM`], the stride is less than the dimension, or the last row is
    /// incomplete.
    #[must_use]
    pub fn new(bytes: &'a [u8], dim: usize, stride: usize) -> Self {
        check_dim(dim);
        assert!(stride >= dim, "rows: expected a stride of {dim} or more, got {stride}");
        let count = bytes.len().div_ceil(stride);
        let last = bytes.len() - count.saturating_sub(1) * stride;
        assert!(count == 0 || last >= dim, "rows: expected {dim} bytes in the last row, got {last}");
        Self { bytes, dim, stride, count }
    }

    /// Returns the number of codes of each row.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the rows of a range.
    ///
    /// # Panics
    ///
    /// If the range ends after the last row.
    #[must_use]
    pub fn part(&self, rows: std::ops::Range<usize>) -> Self {
        let end = rows.end.saturating_sub(1) * self.stride + self.dim;
        let bytes = if rows.is_empty() { &[] } else { &self.bytes[rows.start * self.stride..end] };
        Self { bytes, count: rows.len(), ..*self }
    }

    /// Returns the bytes of row `at`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    #[must_use]
    pub fn row(&self, at: usize) -> &'a [u8] {
        &self.bytes[at * self.stride..][..self.dim]
    }

    /// Returns the bytes from the start of row `at` to the end of the last row: those of the row, and maybe others.
    #[inline]
    pub(super) fn row_and_rest(&self, at: usize) -> &'a [u8] {
        let rest = &self.bytes[at * self.stride..];
        debug_assert!(rest.len() >= self.dim, "row {at} is complete");
        rest
    }

    /// Returns the number of bytes from the start of a row to the start of the next.
    #[inline]
    pub(super) fn stride(&self) -> usize {
        self.stride
    }
}

/// Queries of signed bytes.
///
/// A query of 14-bit values can be passed as two queries, one of the high parts and one of the low parts. Both are
/// multiplied with the rows in one pass; see [`Int8Bound::of`](super::Int8Bound::of).
#[derive(Debug, Clone)]
pub struct Int8Queries {
    dim: usize,
    /// The values of each query, and zeros up to a multiple of [`MAX_CHUNK`].
    values: Vec<i8>,
    /// For each query, 128 times the sum of its values. This is the inner product with the bytes of any row, minus the
    /// inner product with the row's codes.
    excesses: Vec<i32>,
    /// Whether all queries have small groups, once that is known.
    #[cfg(target_arch = "x86_64")]
    have_small_groups: OnceLock<bool>,
}

impl Int8Queries {
    /// Makes `q` queries from `values`, which are `[q * dim]`: one query after another.
    ///
    /// # Panics
    ///
    /// If the dimension is 0 or above [`MAX_DIM`], or does not divide the number of values.
    #[must_use]
    pub fn new(dim: usize, values: Vec<i8>) -> Self {
        check_dim(dim);
        let got = values.len();
        assert!(got.is_multiple_of(dim), "queries: expected vectors of dimension {dim}, got {got} values");
        let excess = |query: &[i8]| query.iter().map(|&value| i32::from(value)).sum::<i32>() * 128;
        let excesses = values.chunks_exact(dim).map(excess).collect();
        Self {
            dim,
            values: padded(values, dim),
            excesses,
            #[cfg(target_arch = "x86_64")]
            have_small_groups: OnceLock::new(),
        }
    }

    /// Returns the number of values of each query.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.excesses.len()
    }

    /// Returns whether there are no queries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.excesses.is_empty()
    }

    /// Returns the values of query `at`.
    ///
    /// # Panics
    ///
    /// If there is no such query.
    #[inline]
    #[must_use]
    pub fn query(&self, at: usize) -> &[i8] {
        &self.values_and_zeros(at)[..self.dim]
    }

    /// Returns the values of query `at`, and zeros up to a multiple of [`MAX_CHUNK`].
    #[inline]
    pub(super) fn values_and_zeros(&self, at: usize) -> &[i8] {
        let stride = self.dim.next_multiple_of(MAX_CHUNK);
        &self.values[at * stride..][..stride]
    }

    /// Returns whether all queries have small groups; see [`MAX_GROUP_SUM`](super::MAX_GROUP_SUM).
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(super) fn have_small_groups(&self) -> bool {
        use super::{MAX_GROUP_SUM, largest_group_sum};
        *self
            .have_small_groups
            .get_or_init(|| (0..self.len()).all(|at| largest_group_sum(self.query(at)) <= MAX_GROUP_SUM))
    }

    /// Returns what must be subtracted from the inner product of query `at` and the bytes of a row.
    #[inline]
    pub(super) fn excess(&self, at: usize) -> i32 {
        self.excesses[at]
    }
}

/// Appends zeros to each vector, up to a multiple of [`MAX_CHUNK`].
fn padded(values: Vec<i8>, dim: usize) -> Vec<i8> {
    if dim.is_multiple_of(MAX_CHUNK) {
        return values;
    }
    let stride = dim.next_multiple_of(MAX_CHUNK);
    let mut padded = vec![0; values.len() / dim * stride];
    padded.chunks_exact_mut(stride).zip(values.chunks_exact(dim)).for_each(|(into, values)| {
        into[..dim].copy_from_slice(values);
    });
    padded
}

fn check_dim(dim: usize) {
    assert!((1..=MAX_DIM).contains(&dim), "expected a dimension of 1 to {MAX_DIM}, got {dim}");
}
