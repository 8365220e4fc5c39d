//! Every kernel against the definition, and against itself in every place of a block.

use kernels::{Batch, Kernels, Score, reference};
use numerics::SplitMix64;
use proptest::prelude::*;

/// Two vectors of one length from 0 to `longest`, of ordinary, huge, tiny and cancelling values.
fn pair(longest: usize) -> impl Strategy<Value = (Vec<f32>, Vec<f32>)> {
    let value = prop_oneof![
        8 => -10.0f32..10.0,
        1 => -1e15f32..1e15,
        1 => -1e-25f32..1e-25,
        1 => Just(0.0f32),
    ];
    prop::collection::vec((value.clone(), value), 0..longest).prop_map(|pairs| pairs.into_iter().unzip())
}

/// Reproducible values in [-1, 1).
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
    fn a_value_does_not_depend_on_its_place(dim in 1usize..150, queries in 1usize..9, rows in 0usize..11,
                                            offset in 0usize..17, seed in any::<u64>()) {
        // An offset into the allocation makes the slices unaligned.
        let storage = values(seed, offset + (queries + rows) * dim);
        let (of_queries, of_rows) = storage[offset..].split_at(queries * dim);
        for kernels in Kernels::available() {
            let mut scores = vec![f32::NAN; queries * rows];
            kernels.score_block(dim, of_queries, of_rows, &mut scores);
            let mut distances = vec![f32::NAN; queries * rows];
            kernels.squared_l2_block(dim, of_queries, of_rows, &mut distances);
            for (q, query) in of_queries.chunks(dim).enumerate() {
                let mut alone = vec![f32::NAN; rows];
                kernels.score_rows(query, of_rows, &mut alone);
                for (r, row) in of_rows.chunks(dim).enumerate() {
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
    fn a_batch_reports_what_reaches_with_the_bits_it_has_alone(dim in 1usize..150, queries in 0usize..11,
                                                               rows in 0usize..40, least in -3.0f32..3.0,
                                                               seed in any::<u64>()) {
        let of_queries = values(seed, queries * dim);
        let mut of_rows = values(!seed, rows * dim);
        // What only a file made by hand can bring is never reported as a score, −0 is reported as 0.
        for (at, value) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY].into_iter().enumerate() {
            of_rows.iter_mut().skip(5 + at + dim * at * 3).step_by(11 * dim + 1).for_each(|x| *x = value);
        }
        of_rows.chunks_mut(dim).skip(1).step_by(7).for_each(|row| row.fill(-0.0));
        for kernels in Kernels::available() {
            for score in [Score::Dot, Score::NegatedSquaredL2] {
                let mut batch = Batch::new(kernels, score, dim, &of_queries);
                let most = batch.rows_at_once();
                let mut found = vec![vec![]; queries];
                for (first, some) in (0..).step_by(most).zip(of_rows.chunks(most * dim)) {
                    let some: Vec<&[f32]> = some.chunks(dim).collect();
                    batch.score(&some, &[0; 1000], |query, row, score| {
                        found[query].push((first + row, score.to_bits()));
                        least
                    });
                }
                for (query, found) in of_queries.chunks(dim).zip(found) {
                    let mut expected: Vec<(usize, u32)> = vec![];
                    for (row, values) in of_rows.chunks(dim).enumerate() {
                        let value = match score {
                            Score::Dot => kernels.dot(query, values) + 0.0,
                            Score::NegatedSquaredL2 => 0.0 - kernels.squared_l2(query, values),
                        };
                        if value >= if expected.is_empty() { f32::NEG_INFINITY } else { least } {
                            expected.push((row, value.to_bits()));
                        }
                    }
                    prop_assert_eq!(found, expected, "{} {:?}", kernels.name(), score);
                }
            }
        }
    }

    #[test]
    fn a_batch_writes_all_scores_with_the_bits_they_have_alone(dim in 1usize..150, queries in 0usize..11,
                                                               rows in 0usize..40, more in 0usize..9,
                                                               seed in any::<u64>()) {
        let (of_queries, of_rows) = (values(seed, queries * dim), values(!seed, rows * dim));
        for kernels in Kernels::available() {
            for score in [Score::Dot, Score::NegatedSquaredL2] {
                let mut batch = Batch::new(kernels, score, dim, &of_queries);
                let most = batch.rows_at_once();
                let stride = rows.next_multiple_of(most) + more;
                let mut scores = vec![f32::NAN; batch.score_buffer_len(rows, stride)];
                for (first, some) in (0..).step_by(most).zip(of_rows.chunks(most * dim)) {
                    let some: Vec<&[f32]> = some.chunks(dim).collect();
                    batch.score_all(&some, &[0; 1000], stride, scores.get_mut(first..).unwrap_or_default());
                }
                for (q, query) in of_queries.chunks(dim).enumerate() {
                    for (r, row) in of_rows.chunks(dim).enumerate() {
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
fn every_length_up_to_three_chunks_sums_every_element_once() {
    // The powers of two below 2²⁴ add up exactly, so a lost or doubled element cannot hide in rounding.
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
fn no_values_sum_to_zero() {
    for kernels in Kernels::available() {
        assert_eq!(kernels.dot(&[], &[]).to_bits(), 0);
        kernels.score_block(3, &[], &[], &mut []);
        kernels.score_block(3, &[1.0; 6], &[], &mut []);
        kernels.score_block(3, &[], &[1.0; 6], &mut []);
    }
}
