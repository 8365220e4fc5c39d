//! Inner products of 4-bit codes agree with the definition, with every instruction set.

use kernels::ByteRows;
use kernels::int4::{BLOCK_BYTES, BLOCK_DIM, Int4Kernels, Int4Query, pack, unpack};
use proptest::prelude::*;

/// The inner product by definition.
fn product(codes: &[u8], query: &[i8]) -> i32 {
    codes.iter().zip(query).map(|(&code, &value)| i32::from(code) * i32::from(value)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_instruction_set_returns_the_exact_inner_products(
        dim in 1usize..600, count in 1usize..12, offset in 0usize..5,
        chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
        // Enough for the largest `dim` and `count`. Only as many as needed are used.
        all_codes in prop::collection::vec(prop_oneof![Just(15u8), Just(0), 0u8..16], 600 * 12),
        all_values in prop::collection::vec(prop_oneof![Just(-128i8), Just(127), any::<i8>()], 600),
    ) {
        let row_bytes = dim.next_multiple_of(BLOCK_DIM) / 2;
        let mut storage = vec![0xFF; offset + count * row_bytes];
        let rows: Vec<&[u8]> = all_codes.chunks(dim).take(count).collect();
        for (codes, row) in rows.iter().zip(storage[offset..].chunks_mut(row_bytes)) {
            pack(codes, row);
            let mut again = vec![0; dim];
            unpack(row, &mut again);
            prop_assert_eq!(&again, codes);
        }
        let query = Int4Query::new(&all_values[..dim]);
        prop_assert_eq!(query.sum(), all_values[..dim].iter().map(|&value| i32::from(value)).sum::<i32>());
        let mut row_query = query.clone();
        row_query.set_to_row(&storage[offset..][..row_bytes], dim);
        let values: Vec<i8> = rows[0].iter().map(|&code| 2 * code as i8 - 15).collect();
        prop_assert_eq!(row_query, Int4Query::new(&values));
        let ords: Vec<u32> = chosen.iter().map(|at| at.index(count) as u32).collect();
        let expected: Vec<i32> = ords.iter().map(|&ord| product(rows[ord as usize], &all_values[..dim])).collect();
        for kernels in Int4Kernels::available() {
            let mut found = vec![i32::MIN; ords.len()];
            kernels.products_of(&query, ByteRows::new(&storage[offset..], row_bytes), &ords, &mut found);
            prop_assert_eq!(&found, &expected, "{}", kernels.name());
        }
    }
}

#[test]
fn the_largest_products_do_not_overflow() {
    let dim = 1024;
    let mut row = vec![0; dim / 2];
    pack(&vec![15; dim], &mut row);
    assert_eq!(row.len() % BLOCK_BYTES, 0);
    for value in [-128, 127] {
        let query = Int4Query::new(&vec![value; dim]);
        for kernels in Int4Kernels::available() {
            let mut found = [0];
            kernels.products_of(&query, ByteRows::new(&row, dim / 2), &[0], &mut found);
            assert_eq!(found, [15 * 1024 * i32::from(value)], "{}", kernels.name());
        }
    }
}
