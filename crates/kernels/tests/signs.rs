//! Sums of the query values whose bits are set in a row agree with the definition, with every instruction set.

use kernels::ByteRows;
use kernels::signs::{MAX_DIM, SignKernels, SignQuery, WORD_DIM};
use proptest::prelude::*;

/// Packs `bits` into rows of `dim` bits, padded with zeros to whole words. All bits in the rest of each row's
/// `row_bytes` bytes are set; the kernels must ignore them.
fn rows_of(bits: &[bool], dim: usize, row_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in bits.chunks_exact(dim) {
        let start = bytes.len();
        bytes.resize(start + row_bytes, 0xFF);
        bytes[start..][..dim.next_multiple_of(WORD_DIM) / 8].fill(0);
        for at in (0..dim).filter(|&at| row[at]) {
            bytes[start + at / 8] |= 1 << (at % 8);
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_instruction_set_returns_the_exact_sums(
        dim in 1usize..600, count in 1usize..12, trailing_bytes in 0usize..20,
        chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
        // Enough for the largest `dim` and `count`. Only as many as needed are used.
        bits in prop::collection::vec(any::<bool>(), 600 * 12),
        values in prop::collection::vec(prop_oneof![Just(-128i8), Just(127), any::<i8>()], 600),
    ) {
        let (bits, values) = (&bits[..dim * count], &values[..dim]);
        let row_bytes = dim.next_multiple_of(WORD_DIM) / 8 + trailing_bytes;
        let bytes = rows_of(bits, dim, row_bytes);
        let query = SignQuery::new(values);
        prop_assert_eq!(query.sum(), values.iter().map(|&value| i32::from(value)).sum::<i32>());
        let ords: Vec<u32> = chosen.iter().map(|at| at.index(count) as u32).collect();
        let sum = |row: &[bool]| row.iter().zip(values).map(|(&set, &value)| i32::from(set) * i32::from(value)).sum();
        let expected: Vec<i32> = ords.iter().map(|&ord| sum(&bits[ord as usize * dim..][..dim])).collect();
        for kernels in SignKernels::available() {
            let mut found = vec![i32::MIN; ords.len()];
            kernels.sums_of(&query, ByteRows::new(&bytes, row_bytes), &ords, &mut found);
            prop_assert_eq!(&found, &expected, "{}", kernels.name());
        }
    }
}

#[test]
fn the_largest_sums_do_not_overflow() {
    let bytes = vec![0xFF; MAX_DIM / 8];
    for value in [-128, 127] {
        let query = SignQuery::new(&vec![value; MAX_DIM]);
        for kernels in SignKernels::available() {
            let mut found = [0];
            kernels.sums_of(&query, ByteRows::new(&bytes, MAX_DIM / 8), &[0], &mut found);
            assert_eq!(found, [MAX_DIM as i32 * i32::from(value)], "{}", kernels.name());
        }
    }
}
