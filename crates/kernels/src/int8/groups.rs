//! Groups of four values of a query, whose products with a row AVX2 adds in 16 bits ([`packed_rows`](super)).
//!
//! Each block of 64 values has 16 groups: for every even i below 32, the values at i, i + 1, i + 32 and i + 33. Values
//! after the last block are multiplied in pairs of neighbors, so the groups of an incomplete block have only the values
//! that exist.

/// Number of values in a block.
pub(super) const BLOCK_LEN: usize = 64;

/// If in each group of a query neither the positive nor the negative values add up to more than this in magnitude,
/// AVX2 multiplies many such queries and rows in less than half the time. Other queries have the same products, too.
pub const MAX_GROUP_SUM: i32 = 128;

/// Returns the largest magnitude of a sum of the positive or of the negative values of a group; see [`MAX_GROUP_SUM`].
///
/// ```
/// // Groups: 9, −2 and the values 32 positions later; 5, 6; and others of 0.
/// let mut query = [0; 40];
/// [query[0], query[1], query[32], query[33]] = [9, -2, 7, 8];
/// [query[2], query[3]] = [5, 6];
/// assert_eq!(kernels::int8::largest_group_sum(query.into_iter()), 24);
/// ```
#[must_use]
pub fn largest_group_sum(query: impl Iterator<Item = i32>) -> i32 {
    let mut largest = 0;
    let mut sums = [[0; 2]; BLOCK_LEN / 4];
    for (at, value) in query.enumerate() {
        if at % BLOCK_LEN == 0 {
            sums = Default::default();
        }
        let sum = &mut sums[at % (BLOCK_LEN / 2) / 2][usize::from(value < 0)];
        *sum += value.abs();
        largest = largest.max(*sum);
    }
    largest
}
