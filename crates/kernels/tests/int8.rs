//! Inner products of bytes, and the bounds computed from them, agree with the definition, with every instruction set.

use kernels::int8::{
    BOUND_ROWS, HIGH_FACTOR, Int8Bound, Int8Kernels, Int8Queries, Int8RowBounds, Int8Rows, MAX_DIM,
    MAX_GROUP_SUM, largest_group_sum,
};
use numerics::SplitMix64;
use proptest::prelude::*;

/// Returns random bytes, about half of which are 0 or 255.
fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut random = SplitMix64::new(seed);
    let mut next = || random.next_u64() >> 32;
    (0..count)
        .map(|_| match next() % 4 {
            0 => 255,
            1 => 0,
            _ => next() as u8,
        })
        .collect()
}

/// The inner product by definition.
fn product(row: &[u8], query: &[i8]) -> i32 {
    row.iter().zip(query).map(|(&row, &query)| (i32::from(row) - 128) * i32::from(query)).sum()
}

/// Shrinks the values of a query until it has small groups. Most often, the largest group is then near the limit.
fn shrink_groups(query: &mut [i8]) {
    let values = query.to_vec();
    let sum = largest_group_sum(&values).max(MAX_GROUP_SUM);
    for (into, value) in query.iter_mut().zip(values) {
        *into = (i32::from(value) * MAX_GROUP_SUM / sum) as i8;
    }
    assert!(largest_group_sum(query) <= MAX_GROUP_SUM);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_instruction_set_returns_the_exact_inner_products(
        dim in 1usize..300, gap in 0usize..70, count in 0usize..60, queries in 0usize..20, offset in 0usize..5,
        chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..30), seed in any::<u64>(),
        has_small_groups in any::<bool>(),
    ) {
        let stride = dim + gap;
        let storage = bytes(offset + (count * stride).saturating_sub(gap), seed);
        let rows = Int8Rows::new(&storage[offset..], dim, stride);
        prop_assert_eq!(rows.len(), count);
        let mut values: Vec<i8> = bytes(queries * dim, !seed).into_iter().map(u8::cast_signed).collect();
        if has_small_groups {
            values.chunks_mut(dim).for_each(shrink_groups);
        }
        let int8_queries = Int8Queries::new(dim, values.clone());
        let ords: Vec<u32> = if count == 0 { Vec::new() } else {
            chosen.iter().map(|at| at.index(count) as u32).collect()
        };
        let expected = |ords: &mut dyn Iterator<Item = usize>| -> Vec<i32> {
            let ords: Vec<usize> = ords.collect();
            values.chunks(dim)
                .flat_map(|query| ords.iter().map(|&ord| product(rows.row(ord), query)).collect::<Vec<_>>())
                .collect()
        };
        let (all, some) = (expected(&mut (0..count)), expected(&mut ords.iter().map(|&ord| ord as usize)));
        for kernels in Int8Kernels::available() {
            let mut found = vec![i32::MIN; queries * count];
            kernels.products(&int8_queries, rows, &mut found);
            prop_assert_eq!(&found, &all, "{}", kernels.name());
            let mut found = vec![i32::MIN; queries * ords.len()];
            kernels.products_of(&int8_queries, rows, &ords, &mut found);
            prop_assert_eq!(&found, &some, "{}", kernels.name());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_mask_has_the_rows_whose_bound_is_at_or_above_the_threshold(
        // For each row: two products, a scale, an addend and a length.
        rows in prop::collection::vec(
            (-70_000i32..70_000, -300i32..300, 0f32..2.0, 0f32..0.1, 0f32..9.0), 0..=BOUND_ROWS,
        ),
        has_low_products in any::<bool>(), threshold in prop_oneof![Just(f32::NEG_INFINITY), -300f32..300.0],
    ) {
        let products: Vec<i32> = rows.iter().map(|row| row.0).collect();
        let lower: Vec<i32> = rows.iter().map(|row| row.1).collect();
        let [scales, addends, lengths] = [
            rows.iter().map(|row| row.2).collect::<Vec<_>>(),
            rows.iter().map(|row| row.3).collect(),
            rows.iter().map(|row| row.4).collect(),
        ];
        let row_bounds = Int8RowBounds { scales: &scales, addends: &addends, lengths: &lengths };
        let bound = Int8Bound { scale: 1e-3, per_addend: 3.0, per_length: 0.5, per_square: -0.25, constant: 0.125 };
        for kernels in Int8Kernels::available() {
            let low_products = has_low_products.then_some(&lower[..]);
            let mask = kernels.bounds_at_least(&products, low_products, row_bounds, &bound, threshold);
            prop_assert!(rows.len() == BOUND_ROWS || mask >> rows.len() == 0);
            for (at, &(product, lower, scale, addend, length)) in rows.iter().enumerate() {
                let [product, lower] = [product, lower].map(f64::from);
                let product = if has_low_products { product * f64::from(HIGH_FACTOR) + lower } else { product };
                let [scale, addend, length] = [scale, addend, length].map(f64::from);
                let terms = [1e-3 * product * scale, 3.0 * addend, length * 0.5, -0.25 * length * length, 0.125];
                let expected: f64 = terms.iter().sum();
                // Each term passes through at most eight roundings, and 1e-3 is rounded to f32.
                let max_error = terms.iter().map(|term| term.abs()).sum::<f64>() * 9.0 * 2f64.powi(-24);
                let is_set = mask >> at & 1 == 1;
                let is_decided = (expected - f64::from(threshold)).abs() > max_error;
                let is_expected = expected >= f64::from(threshold);
                prop_assert!(!is_decided || is_set == is_expected, "{} row {at}", kernels.name());
            }
        }
    }
}

#[test]
fn products_of_the_longest_rows_with_extreme_codes_do_not_overflow() {
    // So many rows and queries that the loops for batches multiply most of them, and the other loops the rest.
    const ROWS: usize = 17;
    const QUERIES: usize = 9;
    for (byte, value) in [(255u8, 127i8), (255, -128), (0, 127), (0, -128), (255, 32), (255, -32), (0, 32)] {
        let rows = vec![byte; ROWS * MAX_DIM];
        let queries = Int8Queries::new(MAX_DIM, vec![value; QUERIES * MAX_DIM]);
        let expected = (i32::from(byte) - 128) * i32::from(value) * MAX_DIM as i32;
        for kernels in Int8Kernels::available() {
            let mut found = [0; ROWS * QUERIES];
            kernels.products(&queries, Int8Rows::new(&rows, MAX_DIM, MAX_DIM), &mut found);
            assert_eq!(found, [expected; ROWS * QUERIES], "{}", kernels.name());
        }
    }
}

#[test]
fn the_largest_sums_of_groups_do_not_overflow() {
    const DIM: usize = 100;
    // The values of each group: at i, i + 1, i + 32 and i + 33. The last two entries have larger groups.
    let groups: [([i8; 4], bool); 12] = [
        ([127, 1, 0, 0], true),
        ([0, 0, 64, 64], true),
        ([32, 32, 32, 32], true),
        ([1, 63, 1, 63], true),
        ([-128, 0, 0, 0], true),
        ([0, 0, -127, -1], true),
        ([-32, -32, -32, -32], true),
        ([100, -100, 28, -28], true),
        ([-100, 100, 28, -28], true),
        ([127, -128, 1, 0], true),
        ([127, 2, 0, 0], false),
        ([-128, 0, 0, -1], false),
    ];
    for (group, is_small) in groups {
        let query: Vec<i8> = (0..DIM).map(|at| group[at % 2 + at % 64 / 32 * 2]).collect();
        assert_eq!(largest_group_sum(&query) <= MAX_GROUP_SUM, is_small, "{group:?}");
        // Bytes that are all equal, and bytes that are 255 where the query is positive (or negative) and 0 elsewhere.
        let mut rows = [0u8, 1, 128, 255].map(|byte| vec![byte; DIM]).to_vec();
        for sign in [1, -1] {
            rows.push(query.iter().map(|value| if value.signum() == sign { 255 } else { 0 }).collect());
        }
        for row in rows {
            let expected = product(&row, &query);
            // So many queries and rows that they are packed, with and without a remaining query and row, and so few
            // that they are not.
            for (num_queries, num_rows) in [(8, 16), (9, 17), (3, 16), (8, 5), (1, 1)] {
                let queries = Int8Queries::new(DIM, query.repeat(num_queries));
                let bytes = row.repeat(num_rows);
                let rows = Int8Rows::new(&bytes, DIM, DIM);
                let ords: Vec<u32> = (0..num_rows as u32).collect();
                for kernels in Int8Kernels::available() {
                    let case = (kernels.name(), group, row[0], num_queries, num_rows);
                    let mut found = vec![0; num_queries * num_rows];
                    kernels.products(&queries, rows, &mut found);
                    assert!(found.iter().all(|&found| found == expected), "{case:?}");
                    found.fill(0);
                    kernels.products_of(&queries, rows, &ords, &mut found);
                    assert!(found.iter().all(|&found| found == expected), "{case:?}");
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "range")]
fn an_ord_without_a_row_is_refused() {
    let queries = Int8Queries::new(2, vec![1, 2]);
    Int8Kernels::detect().products_of(&queries, Int8Rows::new(&[1, 2], 2, 2), &[1], &mut [0]);
}
