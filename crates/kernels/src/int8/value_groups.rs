//! Groups of four values of a query. If the values are small enough ([`MAX_GROUP_SUM`]), AVX2 can add a group's four
//! products with a row in 16 bits, which is faster.
//!
//! Each block of 64 values has 16 groups: for every even i below 32, the values at i, i + 1, i + 32 and i + 33. The
//! last block may be incomplete; its missing values count as zeros.

/// Number of values in a block.
pub(super) const BLOCK_LEN: usize = 64;

/// A query has *small groups* if in each group, neither the positive nor the negative values add up to more than this
/// in magnitude. AVX2 multiplies such queries in less than half the time. Other queries are multiplied correctly too.
pub const MAX_GROUP_SUM: i32 = 128;

/// Returns the largest magnitude of a sum of the positive or of the negative values of a group; see [`MAX_GROUP_SUM`].
///
/// ```
/// // Groups: 9, −2 and the values 32 positions later; 5, 6; and others of 0.
/// let mut query = [0; 40];
/// [query[0], query[1], query[32], query[33]] = [9, -2, 7, 8];
/// [query[2], query[3]] = [5, 6];
/// assert_eq!(kernels::int8::largest_group_sum(&query), 24);
/// ```
#[must_use]
pub fn largest_group_sum(query: &[i8]) -> i32 {
    let (blocks, rest) = query.as_chunks::<BLOCK_LEN>();
    let mut last = [0; BLOCK_LEN];
    last[..rest.len()].copy_from_slice(rest);
    let mut largest = [0; BLOCK_LEN / 4];
    for block in blocks.iter().chain([&last]) {
        let (first, second) = block.split_at(BLOCK_LEN / 2);
        // The positive and the negative sums of the values at i and i + 32.
        let mut sums = [[0; BLOCK_LEN / 2]; 2];
        for (at, (&first, &second)) in first.iter().zip(second).enumerate() {
            let (first, second) = (i16::from(first), i16::from(second));
            sums[0][at] = first.max(0) + second.max(0);
            sums[1][at] = -(first.min(0) + second.min(0));
        }
        for sums in sums {
            let (groups, _) = sums.as_chunks::<2>();
            for (largest, [even, odd]) in largest.iter_mut().zip(groups) {
                *largest = i16::max(*largest, even + odd);
            }
        }
    }
    largest.into_iter().max().unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the largest sum of a query that has these values at these positions, and zeros elsewhere.
    fn largest(dim: usize, values: &[(usize, i8)]) -> i32 {
        let mut query = vec![0; dim];
        values.iter().for_each(|&(at, value)| query[at] = value);
        largest_group_sum(&query)
    }

    #[test]
    fn positive_and_negative_values_are_added_separately_in_each_group_of_each_block() {
        assert_eq!(largest_group_sum(&[]), 0);
        assert_eq!(largest(1, &[(0, -128)]), 128);
        assert_eq!(largest(128, &[(0, 3), (1, -9), (32, -4), (33, 5)]), 13);
        assert_eq!(largest(128, &[(64, 3), (65, 4), (96, 5), (97, 6)]), 18);
        // Neighbors that are not in the same group: an odd and the next even position, and different blocks.
        assert_eq!(largest(128, &[(1, 3), (2, 4)]), 4);
        assert_eq!(largest(128, &[(62, 3), (64, 4), (30, 5)]), 8);
        // A block that ends before its second half, and one that ends within it.
        assert_eq!(largest(96, &[(94, 3), (95, 4)]), 7);
        assert_eq!(largest(97, &[(64, 3), (96, 4)]), 7);
    }
}
