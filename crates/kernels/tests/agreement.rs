//! The kernels of every instruction set agree with the definition within the error bound, and return the same bits for
//! a pair of vectors wherever the pair is in a block.

use kernels::{Batch, Kernels, Score, reference};
use numerics::SplitMix64;
use proptest::prelude::*;

/// Two vectors of the same length below `max_len`, with ordinary, huge and tiny values and zeros.
fn pair(max_len: usize) -> impl Strategy<Value = (Vec<f32>, Vec<f32>)> {
    let value = prop_oneof![
        8 => -10.0f32..10.0,
        1 => -1e15f32..1e15,
        1 => -1e-25f32..1e-25,
        1 => Just(0.0f32),
    ];
    prop::collection::vec((value.clone(), value), 0..max_len).prop_map(|pairs| pairs.into_iter().unzip())
}

/// Returns values in [−1, 1) that depend only on the arguments.
fn values(seed: u64, count: usize) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| random.uniform()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_kernel_agrees_with_the_reference((a, b) in pair(1100)) {
        for kernels in Kernels::available() {
            let error = (f64::from(kernels.dot(&a, &b)) - reference::dot(&a, &b)).abs();
            prop_assert!(error <= reference::dot_error(&a, &b), "{}: dot off by {error:e}", kernels.name());
            let error = (f64::from(kernels.squared_l2(&a, &b)) - reference::squared_l2(&a, &b)).abs();
            prop_assert!(error <= reference::squared_l2_error(&a, &b), "{}: l2 off by {error:e}", kernels.name());
        }
    }

    #[test]
    fn a_score_does_not_depend_on_its_position_in_a_block(
        dim in 1usize..150, queries in 1usize..9, rows in 0usize..11, offset in 0usize..17, seed in any::<u64>(),
    ) {
        // Most offsets into the allocation misalign the slices with SIMD registers.
        let storage = values(seed, offset + (queries + rows) * dim);
        let (query_values, row_values) = storage[offset..].split_at(queries * dim);
        for kernels in Kernels::available() {
            let mut scores = vec![f32::NAN; queries * rows];
            kernels.score_block(dim, query_values, row_values, &mut scores);
            let mut distances = vec![f32::NAN; queries * rows];
            kernels.squared_l2_block(dim, query_values, row_values, &mut distances);
            for (q, query) in query_values.chunks(dim).enumerate() {
                let mut alone = vec![f32::NAN; rows];
                kernels.score_rows(query, row_values, &mut alone);
                for (r, row) in row_values.chunks(dim).enumerate() {
                    let expected = kernels.dot(query, row).to_bits();
                    prop_assert_eq!(scores[q * rows + r].to_bits(), expected, "{}", kernels.name());
                    prop_assert_eq!(alone[r].to_bits(), expected, "{}", kernels.name());
                    prop_assert_eq!(kernels.dot(row, query).to_bits(), expected, "{}", kernels.name());
                    let expected = kernels.squared_l2(query, row).to_bits();
                    prop_assert_eq!(distances[q * rows + r].to_bits(), expected, "{}", kernels.name());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_batch_reports_scores_at_or_above_the_threshold_with_the_bits_of_single_scores(
        dim in 1usize..150, queries in 0usize..11, rows in 0usize..40, threshold in -3.0f32..3.0, seed in any::<u64>(),
    ) {
        let query_values = values(seed, queries * dim);
        let mut row_values = values(!seed, rows * dim);
        // Some values are NaN or infinite, and some rows are all −0. A score of NaN is never reported; −0 is reported
        // as 0.
        for (at, value) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY].into_iter().enumerate() {
            row_values.iter_mut().skip(5 + at + dim * at * 3).step_by(11 * dim + 1).for_each(|x| *x = value);
        }
        row_values.chunks_mut(dim).skip(1).step_by(7).for_each(|row| row.fill(-0.0));
        for kernels in Kernels::available() {
            for score in [Score::Dot, Score::NegatedSquaredL2] {
                let mut batch = Batch::new(kernels, score, dim, &query_values);
                let max_rows = batch.rows_at_once();
                let mut found = vec![vec![]; queries];
                for (first, block) in (0..).step_by(max_rows).zip(row_values.chunks(max_rows * dim)) {
                    let block: Vec<&[f32]> = block.chunks(dim).collect();
                    // The 1,000 bytes are prefetched.
                    batch.score(&block, &[0; 1000], |query, row, score| {
                        found[query].push((first + row, score.to_bits()));
                        threshold
                    });
                }
                for (query, found) in query_values.chunks(dim).zip(found) {
                    let mut expected: Vec<(usize, u32)> = vec![];
                    for (row, values) in row_values.chunks(dim).enumerate() {
                        let value = match score {
                            Score::Dot => kernels.dot(query, values) + 0.0,
                            Score::NegatedSquaredL2 => 0.0 - kernels.squared_l2(query, values),
                        };
                        // Until the first report, a query has the threshold −∞.
                        if value >= if expected.is_empty() { f32::NEG_INFINITY } else { threshold } {
                            expected.push((row, value.to_bits()));
                        }
                    }
                    prop_assert_eq!(found, expected, "{} {:?}", kernels.name(), score);
                }
            }
        }
    }

    #[test]
    fn a_batch_writes_all_scores_with_the_bits_of_single_scores(
        dim in 1usize..150, queries in 0usize..11, rows in 0usize..40, gap in 0usize..9, seed in any::<u64>(),
    ) {
        let (query_values, row_values) = (values(seed, queries * dim), values(!seed, rows * dim));
        for kernels in Kernels::available() {
            for score in [Score::Dot, Score::NegatedSquaredL2] {
                let mut batch = Batch::new(kernels, score, dim, &query_values);
                let max_rows = batch.rows_at_once();
                let stride = rows.next_multiple_of(max_rows) + gap;
                let mut scores = vec![f32::NAN; batch.score_buffer_len(rows, stride)];
                for (first, block) in (0..).step_by(max_rows).zip(row_values.chunks(max_rows * dim)) {
                    let block: Vec<&[f32]> = block.chunks(dim).collect();
                    batch.score_all(&block, &[0; 1000], stride, scores.get_mut(first..).unwrap_or_default());
                }
                for (q, query) in query_values.chunks(dim).enumerate() {
                    for (r, row) in row_values.chunks(dim).enumerate() {
                        let expected = match score {
                            Score::Dot => kernels.dot(query, row) + 0.0,
                            Score::NegatedSquaredL2 => 0.0 - kernels.squared_l2(query, row),
                        };
                        let got = scores[q * stride + r];
                        prop_assert_eq!(got.to_bits(), expected.to_bits(), "{} {:?}", kernels.name(), score);
                    }
                }
            }
        }
    }
}

#[test]
fn every_element_is_added_once_for_every_length_up_to_three_chunks() {
    // Three chunks have at most 48 floats (AVX-512). Integers below 2²⁴ are added exactly, so no rounding error can
    // hide an element that is omitted or added twice.
    for dim in 1usize..=50 {
        for at in 0..dim {
            let mut one_hot = vec![0.0; dim];
            one_hot[at] = 1.0;
            let row: Vec<f32> = (0..dim).map(|at| (at + 1) as f32).collect();
            for kernels in Kernels::available() {
                assert_eq!(kernels.dot(&one_hot, &row), (at + 1) as f32, "{} {dim}", kernels.name());
                let expected: f32 = row.iter().zip(&one_hot).map(|(a, b)| (a - b) * (a - b)).sum();
                assert_eq!(kernels.squared_l2(&one_hot, &row), expected, "{} {dim}", kernels.name());
            }
        }
    }
}

#[test]
fn the_sum_of_no_values_is_zero() {
    for kernels in Kernels::available() {
        assert_eq!(kernels.dot(&[], &[]).to_bits(), 0);
        kernels.score_block(3, &[], &[], &mut []);
        kernels.score_block(3, &[1.0; 6], &[], &mut []);
        kernels.score_block(3, &[], &[1.0; 6], &mut []);
    }
}
