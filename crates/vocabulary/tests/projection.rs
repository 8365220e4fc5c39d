//! Compares projections onto the vocabulary with the definition in double precision, and with each other.

mod support;

use std::path::Path;

use control::Control;
use numerics::rounding::UNIT_ROUNDOFF;
use proptest::prelude::*;
use safetensors::Dtype;
use support::{Parts, gelu, write};
use vocabulary::{Error, Head};

/// The tensor names of a stand-alone head, in the order of `Parts::values`.
const NAMES: [&str; 6] =
    ["dense.weight", "dense.bias", "layer_norm.weight", "layer_norm.bias", "decoder.weight", "decoder.bias"];

/// Writes a head to a file and opens it.
fn open_head(parts: &Parts) -> Head {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("model.safetensors"), &parts.named(NAMES), Dtype::F32);
    Head::open(folder.path()).expect("a head")
}

/// The logits of one vector, computed from the definition in double precision.
struct Definition {
    logits: Vec<f64>,
    /// A bound on the error of any logit in single precision.
    error: f64,
    /// ln Σ exp(logit) over all tokens.
    log_sum_exp: f64,
}

/// Computes the logits of a vector from the definition.
///
/// The errors of the transformed vector's values change the dot product with a row of the decoder by at most
/// Σ |row value| · error. The product itself has an error of at most `dot_error`, and adding the bias rounds once more.
fn definition(parts: &Parts, vector: &[f32]) -> Definition {
    let transformed = parts.transform(vector, gelu, 1e-12);
    // The input of the decoder, rounded to single precision.
    let rounded: Vec<f32> = transformed.iter().map(|&(value, _)| value as f32).collect();
    let mut max_error = 0.0f64;
    let rows = parts.values[4].chunks_exact(parts.inner).zip(&parts.values[5]);
    let logits: Vec<f64> = rows
        .map(|(row, &bias)| {
            let product: f64 = row.iter().zip(&transformed).map(|(&e, &(g, _))| f64::from(e) * g).sum();
            let input_error: f64 =
                row.iter().zip(&transformed).map(|(&e, &(_, error))| f64::from(e).abs() * error).sum();
            let logit = product + f64::from(bias);
            // Doubling `input_error` covers the rounding of `transformed` to `rounded`, because `input_error` already
            // includes two roundings of each value.
            let error = 2.0 * input_error
                + 2.0 * kernels::reference::dot_error(row, &rounded)
                + UNIT_ROUNDOFF * logit.abs();
            // 0 · ∞ is NaN, which `max` would ignore.
            max_error = max_error.max(if error.is_nan() { f64::INFINITY } else { error });
            logit
        })
        .collect();
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log_sum_exp = max + logits.iter().map(|logit| (logit - max).exp()).sum::<f64>().ln();
    Definition { logits, error: max_error, log_sum_exp }
}

/// A bound on the error of ln Σ exp(logit) in addition to the error of the logits. The first term is the relative error
/// of an exponential, 2⁻²¹. The second term is 95 roundings of 2⁻²⁴ each: 87 for the argument of an exponential, whose
/// absolute value is at most 87, 7 for a sum of eight values, and 1 for the logarithm.
const SUM_ERROR: f64 = 1.0 / 2_097_152.0 + 95.0 / 16_777_216.0;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn projections_agree_with_the_definition(
        dim in 1usize..20,
        inner in 2usize..70,
        // Includes sizes just above one part and two parts of 4096 tokens.
        vocabulary in prop_oneof![1usize..300, 4090usize..4110, 8190usize..8400],
        seed in any::<u64>(),
        rows in prop::collection::vec(prop::collection::vec(-3f32..3.0, 20), 1..12),
        k in 0usize..40,
    ) {
        let parts = Parts::new(dim, inner, vocabulary, seed);
        let head = open_head(&parts);
        let vectors: Vec<f32> = rows.iter().flat_map(|row| row[..dim].to_vec()).collect();
        let control = Control::new();
        let logits = head.logits(&vectors, 1, &control).expect("logits");
        let probabilities = head.probabilities(&vectors, 1, &control).expect("probabilities");
        let projected = head.project(&vectors, k, 1, &control).expect("tokens");
        let requested: Vec<u32> = (0..vocabulary as u32).rev().step_by(7).collect();
        let ranks = head.ranks(&vectors, &vec![&requested; rows.len()], 1, &control).expect("ranks");
        prop_assert_eq!(logits.len(), rows.len() * vocabulary);
        for (row, vector) in vectors.chunks_exact(dim).enumerate() {
            let Definition { logits: expected, error: bound, log_sum_exp } = definition(&parts, vector);
            // If activations are nearly equal, there is no useful error bound.
            prop_assume!((0.0..0.5).contains(&bound));
            let logits = &logits[row * vocabulary..][..vocabulary];
            let probabilities = &probabilities[row * vocabulary..][..vocabulary];
            let relative = (2.0 * bound + SUM_ERROR).exp_m1();
            for at in 0..vocabulary {
                let error = (f64::from(logits[at]) - expected[at]).abs();
                prop_assert!(error <= bound, "{} is not {} ± {bound:e}", logits[at], expected[at]);
                let probability = (expected[at] - log_sum_exp).exp();
                let error = (f64::from(probabilities[at]) - probability).abs();
                prop_assert!(error <= probability * (relative + 1e-7) + 1e-45, "{at}: {}", probabilities[at]);
            }
            // The top tokens and the ranks are exact for the returned logits.
            let mut order: Vec<u32> = (0..vocabulary as u32).collect();
            order.sort_by(|&a, &b| logits[b as usize].total_cmp(&logits[a as usize]).then(a.cmp(&b)));
            let found: Vec<u32> = projected[row].iter().map(|found| found.token).collect();
            prop_assert_eq!(&found[..], &order[..k.min(vocabulary)]);
            for found in &projected[row] {
                prop_assert_eq!(found.logit.to_bits(), logits[found.token as usize].to_bits());
                prop_assert_eq!(found.probability as f32, probabilities[found.token as usize]);
            }
            for (&token, found) in requested.iter().zip(&ranks[row]) {
                prop_assert_eq!(order[found.rank as usize - 1], token);
                prop_assert_eq!(found.logit.to_bits(), logits[token as usize].to_bits());
                prop_assert_eq!(found.probability as f32, probabilities[token as usize]);
            }
        }
    }
}

/// Ten tokens with their probabilities.
type TopTen = [(u32, f64); 10];

/// The ten most likely tokens of three vectors, and the ranks of the tokens 1000, 2003 and 29,999, computed with NumPy
/// 2.4.6 in double precision from the tensors of `models/minilm-mlm-head`. The vectors are those of [`random_numbers`]
/// for the seeds 1, 2 and 3, multiplied by 1/4.
const NUMPY: [(TopTen, [u32; 3]); 3] = [
    (
        [
            (14120, 0.005138468534965579),
            (9299, 0.004000707085787173),
            (16302, 0.003542567699804125),
            (6210, 0.0029668010259614186),
            (25640, 0.002893351337585282),
            (7591, 0.002682630482550421),
            (4044, 0.0024434893926504994),
            (20888, 0.0023311130177648296),
            (15182, 0.002007759132562451),
            (3949, 0.002004949389534303),
        ],
        [1741, 557, 1824],
    ),
    (
        [
            (5661, 0.003801853848707078),
            (11126, 0.0037938723860821743),
            (2058, 0.0020653717693160283),
            (4088, 0.002024227353042415),
            (4240, 0.0018018031177244685),
            (18784, 0.001711525981916096),
            (3458, 0.001570421940034161),
            (9859, 0.0015657900575770133),
            (5748, 0.0015473105075074246),
            (5994, 0.0015258445855925807),
        ],
        [11989, 9442, 16389],
    ),
    (
        [
            (2309, 0.00628222531526131),
            (6625, 0.005514418630930641),
            (5576, 0.004729480230015393),
            (3627, 0.004710699122288676),
            (4540, 0.003982340582361016),
            (9942, 0.0027202297132703918),
            (10465, 0.0023852872710083592),
            (8304, 0.0022738687567898618),
            (7165, 0.00213349287057215),
            (3663, 0.0020515546360363166),
        ],
        [13094, 9218, 2245],
    ),
];

#[test]
fn a_real_head_projects_as_numpy_does() {
    let head = Head::open(&models().join("minilm-mlm-head")).expect("a head");
    let control = Control::new();
    for (seed, (tokens, ranks)) in (1..).zip(NUMPY) {
        let vector: Vec<f32> = random_numbers(seed, head.dim()).iter().map(|value| value * 0.25).collect();
        let got = &head.project(&vector, 10, 0, &control).expect("tokens")[0];
        for (got, (token, probability)) in got.iter().zip(tokens) {
            assert_eq!(got.token, token, "seed {seed}");
            // This limit is a hundredth of the error bounds of `definition`. Those bounds assume that all rounding
            // errors have the same sign.
            assert!(
                (got.probability / probability - 1.0).abs() < 5e-6,
                "{} is not {probability}",
                got.probability
            );
        }
        let got = head.ranks(&vector, &[[1000, 2003, 29_999]], 0, &control).expect("ranks");
        assert_eq!(got[0].iter().map(|rank| rank.rank).collect::<Vec<_>>(), ranks, "seed {seed}");
    }
}

/// Random numbers from −1 to 1, from a linear congruential generator (Knuth, The Art of Computer Programming, volume 2,
/// §3.3.4, table 1, line 26).
fn random_numbers(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn among_equal_logits_the_lower_token_ranks_first() {
    // Every token has the same row and bias.
    let mut parts = Parts::new(3, 4, 300, 5);
    let row = parts.values[4][..4].to_vec();
    parts.values[4] = row.repeat(300);
    parts.values[5] = vec![0.5; 300];
    let head = open_head(&parts);
    let (vectors, control) = ([0.1, 0.2, -0.3].repeat(5), Control::new());
    for tokens in head.project(&vectors, 290, 2, &control).expect("tokens") {
        assert!(tokens.iter().map(|token| token.token).eq(0..290));
        assert!(tokens.iter().all(|token| (token.probability - 1.0 / 300.0).abs() < 1e-8));
    }
    let tokens: Vec<u32> = vec![299, 0, 128, 127, 129, 0];
    for ranks in head.ranks(&vectors, &vec![tokens; 5], 2, &control).expect("ranks") {
        assert!(ranks.iter().map(|rank| rank.rank).eq([300, 1, 129, 128, 130, 1]));
    }
}

#[test]
fn the_results_of_a_vector_have_the_same_bits_with_any_number_of_threads_and_any_other_vectors() {
    let head = Head::open(&models().join("minilm-mlm-head")).expect("a head");
    let vectors: Vec<f32> = random_numbers(9, 700 * head.dim()).iter().map(|value| value * 0.1).collect();
    let control = Control::new();
    let tokens: Vec<[u32; 3]> = (0..700).map(|row| [row * 43, 30_521 - row, 100]).collect();
    // `projected` and `ranks` are the results with one thread.
    let (projected, ranks) = (
        head.project(&vectors, 20, 1, &control).expect("tokens"),
        head.ranks(&vectors, &tokens, 1, &control).expect("ranks"),
    );
    // Both calls counted 700 vectors with the same `Control`.
    assert_eq!((control.done(), control.total()), (1400, 700));
    for threads in [2, 3, 16, 0] {
        assert_eq!(head.project(&vectors, 20, threads, &control).expect("tokens"), projected);
        assert_eq!(head.ranks(&vectors, &tokens, threads, &control).expect("ranks"), ranks);
    }
    // A vector alone gives the same results as among 700.
    for (row, vector) in vectors.chunks_exact(head.dim()).enumerate().step_by(97) {
        assert_eq!(head.project(vector, 20, 2, &control).expect("tokens")[0], projected[row]);
        assert_eq!(head.ranks(vector, &tokens[row..=row], 2, &control).expect("ranks")[0], ranks[row]);
        let logits = head.logits(vector, 3, &control).expect("logits");
        for token in &projected[row] {
            assert_eq!(logits[token.token as usize].to_bits(), token.logit.to_bits());
        }
        let sum: f64 = head
            .probabilities(vector, 3, &control)
            .expect("probabilities")
            .iter()
            .map(|&p| f64::from(p))
            .sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    }
}

#[test]
fn empty_inputs_give_empty_results_and_k_is_limited_to_the_size_of_the_vocabulary() {
    let head = Head::open(&models().join("tiny-encoder")).expect("a head");
    let control = Control::new();
    assert!(head.project(&[], 5, 0, &control).expect("no tokens").is_empty());
    assert!(head.ranks::<[u32; 1]>(&[], &[], 0, &control).expect("no ranks").is_empty());
    assert!(head.logits(&[], 0, &control).expect("no logits").is_empty());
    let vector = vec![0.5; head.dim()];
    assert_eq!(head.project(&vector, 0, 0, &control).expect("one list"), [[]]);
    assert_eq!(head.project(&vector, usize::MAX, 0, &control).expect("one list")[0].len(), 8000);
    assert_eq!(head.ranks(&vector, &[[]], 0, &control).expect("one list"), [[]]);
}

#[test]
fn errors_say_which_argument_is_invalid_and_a_canceled_call_fails() {
    let head = Head::open(&models().join("tiny-encoder")).expect("a head");
    let control = Control::new();
    let message = |error: Error| error.to_string();
    let short = vec![0.5; 127];
    let error = head.project(&short, 5, 0, &control).expect_err("a dimension");
    assert_eq!(message(error), "project: expected vectors of dimension 128, got 127 values");
    let mut vectors = vec![0.5; 3 * 128];
    vectors[2 * 128 + 5] = f32::NAN;
    let error = head.project(&vectors, 5, 0, &control).expect_err("a number");
    assert_eq!(
        message(error),
        "vectors[2]: expected finite numbers that do not overflow in the head, got NaN or infinity"
    );
    let error = head.ranks(&vectors, &[[1], [2]], 0, &control).expect_err("lists");
    assert_eq!(message(error), "tokens: expected a list for each of 3 vectors, got 2 lists");
    let error = head.ranks(&vectors, &[[1], [8000], [2]], 0, &control).expect_err("an id");
    assert_eq!(message(error), "tokens[1]: expected ids below 8000, got 8000");
    control.cancel();
    assert!(matches!(head.project(&vectors, 5, 0, &control), Err(Error::Canceled(_))));
}

/// The folder of models in this repository.
fn models() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}
