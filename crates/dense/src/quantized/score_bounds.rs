//! Quantized queries, and bounds of their scores.
//!
//! The [module](super) has the bound in exact arithmetic. This file adds what rounding can change, so that the bounds hold for
//! scores as they are computed. With `u = 2⁻²⁴` the unit roundoff of `f32`, `d` the dimension, `p` an upper bound of `|q|`, `ε`
//! of `|q − q̂|`, and a row's error `e` and length `n`:
//!
//! - **The estimate** `t·s·(w·c)` takes at most five operations in `f32`. Let `W` be the length of the query with all its parts
//!   made positive; the operations are on parts of at most `W·|x̂|` together, so they lose less than `8u·W·(n + e)`. A result
//!   too small for a normal float loses up to half of the smallest float, once multiplied by the scale, which is below `n` or
//!   the smallest float itself.
//! - **The bound itself** takes at most six operations, so each of its coefficients is enlarged by `16u`.
//! - **The score** that is bounded is a sum with rounding errors (see `kernels::reference`). An inner product is off by up to
//!   `γ₍d₊₁₎·p·n`; half of a squared distance by `γ₍d₊₃₎·(p + n)²/2`; both by half of the smallest float per number. Here
//!   `γₖ = k·u / (1 − k·u)` (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1).
//! - **Distances** take `|x|²` as `n²`, which is more by less than `2⁻²¹` of it, and lose `8u·n²` for their operations.
//!
//! A bound so has the form `t·s·(w·c) ± (per_error·e + per_length·n + per_square·n² + constant)`, which
//! [`Int8Bound`] evaluates for many rows at once.
//!
//! For inner products it bounds `q·x`. For distances it bounds `q·x − |x|²/2 = (score + |q|²) / 2`.

use kernels::int8::{Int8Bound, Int8Queries};
use numerics::rounding::{SMALLEST_SUBNORMAL, UNIT_ROUNDOFF, gamma};

use super::quantized_rows::{LENGTH_ROUNDING, Rounded, quantization_error, round_to_steps, round_up};
use crate::Similarity;
use crate::similarity::squared_length;

/// The steps of a 16-bit query: 256·127 + 127, so that its high and low parts fit one byte each.
const MAX_STEPS_16_BIT: f64 = 32_639.0;
/// The steps of an 8-bit query.
const MAX_STEPS_8_BIT: f64 = 127.0;

/// Queries in integers, with the bounds of their scores.
#[derive(Debug)]
pub(super) struct QuantizedQueries {
    /// For 16 bits, the high part of each query, followed by its low part.
    pub queries: Int8Queries,
    pub bounds: Vec<ScoreBounds>,
    pub precision: Precision,
}

/// How many bits the numbers of a query have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// One byte.
    EightBit,
    /// Two bytes, which are multiplied one after the other: twice the work, for tighter bounds.
    SixteenBit,
}

/// Bounds of the scores of one query.
#[derive(Debug)]
pub(super) struct ScoreBounds {
    pub upper: Int8Bound,
    pub lower: Int8Bound,
    /// |q|² for distances.
    squared_query_length: Option<f64>,
}

impl QuantizedQueries {
    /// Quantizes the prepared queries `[q * dim]`.
    pub fn new(similarity: Similarity, dim: usize, queries: &[f32], precision: Precision) -> Self {
        let bytes_per_number = if precision == Precision::SixteenBit { 2 } else { 1 };
        let mut values = Vec::with_capacity(queries.len() * bytes_per_number);
        let bounds = queries
            .chunks_exact(dim)
            .map(|query| quantize(similarity, query, precision, &mut values))
            .collect();
        Self { queries: Int8Queries::new(dim, values), bounds, precision }
    }
}

impl ScoreBounds {
    /// The upper bound that a row must reach for its score not to be certainly below `score`.
    pub fn min_upper_bound(&self, score: f32) -> f64 {
        let score = f64::from(score);
        self.squared_query_length.map_or(score, |squared| {
            // The margin is more than double precision loses here.
            (score + squared) / 2.0 - (score.abs() + squared) / (1u64 << 40) as f64
        })
    }
}

/// Appends the integers of a query to `values`, and derives its bounds as the module says.
fn quantize(
    similarity: Similarity,
    query: &[f32],
    precision: Precision,
    values: &mut Vec<i8>,
) -> ScoreBounds {
    let dim = query.len();
    let max_steps = match precision {
        Precision::EightBit => MAX_STEPS_8_BIT,
        Precision::SixteenBit => MAX_STEPS_16_BIT,
    };
    let Rounded { values: rounded, max } = round_to_steps(query, max_steps);
    let scale = (max / max_steps) as f32;
    // The squared length of the query in steps, with its parts made positive.
    let mut squares = 0.0;
    match precision {
        Precision::EightBit => {
            values.extend(rounded.iter().map(|&value| value as i8));
            squares = rounded.iter().map(|value| value * value).sum();
        }
        Precision::SixteenBit => {
            // A value is 256·high + low, with low from −128 to 127.
            let high = |value: f64| (value as i32 + 128) >> 8;
            let low = |value: f64| value as i32 - 256 * high(value);
            values.extend(rounded.iter().map(|&value| high(value) as i8));
            values.extend(rounded.iter().map(|&value| low(value) as i8));
            for &value in &rounded {
                squares += f64::from(256 * high(value).abs() + low(value).abs()).powi(2);
            }
        }
    }
    let squared_length = squared_length(query);
    let length = squared_length.sqrt() * LENGTH_ROUNDING;
    let positive_length = f64::from(scale) * squares.sqrt() * LENGTH_ROUNDING;
    // ε and the rounding of the estimate, both of which are multiplied by n + e.
    let query_error = quantization_error(query, &rounded, scale) + 8.0 * UNIT_ROUNDOFF * positive_length;
    let mut constant = (dim as f64 + 16.0) * SMALLEST_SUBNORMAL;
    let mut per_length = query_error + SMALLEST_SUBNORMAL;
    let (mut upper_per_square, mut lower_per_square) = (0.0, 0.0);
    let squared_query_length = match similarity {
        Similarity::Dot | Similarity::Cosine => {
            per_length += gamma(dim + 1) * length;
            None
        }
        Similarity::L2 => {
            let gamma = gamma(dim + 3);
            per_length += gamma * length;
            constant += gamma * length * length / 2.0;
            let square = gamma / 2.0 + 8.0 * UNIT_ROUNDOFF;
            upper_per_square = -0.5 + square + 1.0 / (1u64 << 21) as f64;
            lower_per_square = -0.5 - square;
            Some(squared_length)
        }
    };
    let enlarged = 1.0 + 16.0 * UNIT_ROUNDOFF;
    let per_error = round_up((length + query_error) * enlarged);
    let per_length = round_up(per_length * enlarged);
    let constant = round_up(constant * enlarged);
    let upper = Int8Bound { scale, per_error, per_length, per_square: round_up(upper_per_square), constant };
    let lower = Int8Bound {
        scale,
        per_error: -per_error,
        per_length: -per_length,
        per_square: -round_up(-lower_per_square),
        constant: -constant,
    };
    ScoreBounds { upper, lower, squared_query_length }
}

#[cfg(test)]
mod tests {
    use kernels::int8::Int8Rows;
    use proptest::prelude::*;

    use super::super::quantized_rows::{RowBounds, encode};
    use super::*;

    /// A row's score and its bounds, all in the form of the bounds.
    struct Bounded {
        score: f64,
        upper: f64,
        lower: f64,
    }

    fn bounded(similarity: Similarity, query: &[f32], row: &[f32], precision: Precision) -> Bounded {
        let dim = query.len();
        let mut codes = vec![0; dim];
        let RowBounds { scale, error, length } = encode(row, &mut codes);
        let quantized = QuantizedQueries::new(similarity, dim, query, precision);
        let mut products = [0; 2];
        let products = &mut products[..quantized.queries.len()];
        let kernels = kernels::int8::Int8Kernels::detect();
        kernels.products(&quantized.queries, Int8Rows::new(&codes, dim, dim), products);
        let bounds = &quantized.bounds[0];
        let bound = |bound: &Int8Bound| {
            f64::from(bound.of(products[0], products.get(1).copied(), scale, error, length))
        };
        let score = f64::from(similarity.score(query, row));
        let score = bounds.squared_query_length.map_or(score, |squared| (score + squared) / 2.0);
        Bounded { score, upper: bound(&bounds.upper), lower: bound(&bounds.lower) }
    }

    /// Numbers of one size, or of all sizes.
    fn vectors() -> impl Strategy<Value = (Vec<f32>, Vec<f32>)> {
        let size = prop_oneof![Just(1.0f32), Just(1e-44), Just(1e-38), Just(1e-20), Just(1e16)];
        let number =
            prop_oneof![6 => -1.0f32..1.0, 1 => -1e-3f32..1e-3, 1 => Just(0.0), 1 => -1e-30f32..1e-30];
        (prop::collection::vec((number.clone(), number), 1..80), size.clone(), size)
            .prop_map(|(pairs, a, b)| pairs.into_iter().map(|(query, row)| (query * a, row * b)).unzip())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn scores_are_within_their_bounds(
            (query, row) in vectors(),
            precision in prop::sample::select(vec![Precision::EightBit, Precision::SixteenBit]),
            is_near in any::<bool>(),
        ) {
            for similarity in [Similarity::Dot, Similarity::L2] {
                let near: Vec<f32> = row.iter().map(|x| x * 1.01).collect();
                let query = if is_near { near } else { query.clone() };
                let Bounded { score, upper, lower } = bounded(similarity, &query, &row, precision);
                // What double precision loses when the score is brought to the form of the bounds.
                let lost = (score.abs() + squared_length(&query)) * 2f64.powi(-50);
                prop_assert!(score <= upper + lost && score >= lower - lost, "{lower:e} {score:e} {upper:e}");
            }
        }
    }

    #[test]
    fn half_of_the_bound_would_not_do() {
        // A query in the direction of what the codes leave out: the Cauchy–Schwarz inequality is an equality.
        let row: Vec<f32> = (0..64).map(|at| ((at * 37 % 64) as f32).sin()).collect();
        let mut codes = vec![0; row.len()];
        let RowBounds { scale, .. } = encode(&row, &mut codes);
        let query: Vec<f32> =
            row.iter().zip(&codes).map(|(&x, &code)| x - scale * (f32::from(code) - 128.0)).collect();
        for similarity in [Similarity::Dot, Similarity::L2] {
            let Bounded { score, upper, lower } = bounded(similarity, &query, &row, Precision::SixteenBit);
            assert!(lower <= score && score <= upper);
            let half = (upper + lower) / 2.0 + (upper - lower) / 4.0;
            assert!(score > half, "{score} is not above {half}");
        }
    }
}
