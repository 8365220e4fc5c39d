//! Quantizes queries and derives the bounds on their scores.
//!
//! The [parent module](super) derives the bound in exact arithmetic. This file adds the rounding errors, so that the
//! bounds hold for scores as they are computed. Let `u = 2⁻²⁴` be the unit roundoff of `f32`, `d` the dimension, `p` an
//! upper bound on `|q|`, `ε` an upper bound on `|q − q̂|`, and `e` and `n` the error and the length of a row.
//!
//! - **The estimate** `t·s·(w·c)` is rounded at most five times (a factor of 64 is exact). The errors add up to less
//!   than `8u·W·(n + e)`. Here `W` is the length of `t·w`. In a 14-bit query, each `wᵢ` is a sum `64·high + low` of two
//!   terms, and `W` is the length of `t·(64·|high| + |low|)` instead. If an intermediate result is subnormal, it is off
//!   by up to half of the smallest positive float, and this error is multiplied by the row's scale, which is below `n`
//!   or is itself the smallest positive float.
//! - **The bound itself** takes at most six operations, so each of its coefficients is multiplied by `1 + 16u`.
//! - **The score** that is bounded is a sum with rounding errors (see `kernels::reference`). An inner product is off by
//!   up to `γ₍d₊₁₎·p·n`, and half of a squared distance by up to `γ₍d₊₃₎·(p + n)²/2`. To both, subnormal results add up
//!   to half of the smallest positive float per dimension. Here `γₖ = k·u / (1 − k·u)` (Higham, "Accuracy and Stability
//!   of Numerical Algorithms", 2002, section 3.1).
//! - **Distances** need `|x|²`, for which `n²` is used. `n²` exceeds `|x|²` by less than `2⁻²¹·n²`, and the operations
//!   on `n²` add rounding errors of up to `8u·n²`.
//!
//! A bound therefore has the form `t·s·(w·c) ± (per_error·e + per_length·n + per_square·n² + constant)`, which
//! [`Int8Bound`] evaluates for many rows at once, with `e` as the addend of the row.
//!
//! For inner products and cosine, it bounds `q·x`. For distances, it bounds `q·x − |x|²/2 = (score + |q|²) / 2`.

use kernels::int8::{HIGH_FACTOR, Int8Bound, Int8Queries, MAX_GROUP_SUM, largest_group_sum};
use numerics::rounding::{SMALLEST_SUBNORMAL, UNIT_ROUNDOFF, gamma};

use super::quantized_rows::{LENGTH_ROUNDING, Rounded, quantization_error, round_to_steps, round_up};
use crate::Similarity;
use crate::similarity::squared_length;

/// The weight of the high part of an integer in a 14-bit query.
const HIGH: i32 = HIGH_FACTOR as i32;
/// The largest integer in a 14-bit query. The largest high part is 127.
const MAX_STEPS_14_BIT: f64 = (HIGH * 127 + HIGH / 2 - 1) as f64;
// The low parts are at most `HIGH / 2` in magnitude, so they always have small groups.
const _: () = assert!(4 * (HIGH / 2) <= MAX_GROUP_SUM);
/// The largest integer in an 8-bit query.
const MAX_STEPS_8_BIT: f64 = 127.0;

/// Queries quantized to integers, with the bounds on their scores.
#[derive(Debug)]
pub(super) struct QuantizedQueries {
    /// One vector per 8-bit query. Two vectors per 14-bit query: first the high parts of its integers, then the low
    /// parts.
    pub vectors: Int8Queries,
    pub bounds: Vec<ScoreBounds>,
    pub precision: Precision,
}

/// How queries are quantized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Precision {
    pub bits: Bits,
    /// Whether queries have small groups ([`MAX_GROUP_SUM`]), for which some kernels are faster. Scaling the values
    /// down for this usually costs less than one bit of precision, at most two.
    pub has_small_groups: bool,
}

/// How many bits the integers of a query have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bits {
    /// One byte.
    Eight,
    /// Two bytes, which are multiplied separately: twice the work, for tighter bounds. An integer is `64·high + low`,
    /// with `low` from −32 to 31.
    Fourteen,
}

/// Bounds on the scores of one query.
#[derive(Debug)]
pub(super) struct ScoreBounds {
    pub upper: Int8Bound,
    pub lower: Int8Bound,
    /// |q|² for distances; `None` for inner products.
    squared_query_length: Option<f64>,
}

impl QuantizedQueries {
    /// Quantizes the queries `[q * dim]`, which are already [prepared](Similarity::prepare).
    pub fn new(similarity: Similarity, dim: usize, queries: &[f32], precision: Precision) -> Self {
        let bytes_per_number = if precision.bits == Bits::Fourteen { 2 } else { 1 };
        let mut values = Vec::with_capacity(queries.len() * bytes_per_number);
        let bounds = queries
            .chunks_exact(dim)
            .map(|query| quantize(similarity, query, precision, &mut values))
            .collect();
        Self { vectors: Int8Queries::new(dim, values), bounds, precision }
    }
}

impl ScoreBounds {
    /// Returns the minimum upper bound of a row that may reach `score`: a row with a smaller upper bound has a lower
    /// score.
    pub fn min_upper_bound(&self, score: f32) -> f64 {
        let score = f64::from(score);
        self.squared_query_length.map_or(score, |squared| {
            // The subtracted margin is larger than the rounding error of this expression in double precision.
            (score + squared) / 2.0 - (score.abs() + squared) / (1u64 << 40) as f64
        })
    }
}

/// Appends the integers of a query to `values`, and derives the query's bounds as described in the
/// [module documentation](self).
fn quantize(
    similarity: Similarity,
    query: &[f32],
    precision: Precision,
    values: &mut Vec<i8>,
) -> ScoreBounds {
    let dim = query.len();
    let mut max_steps = match precision.bits {
        Bits::Eight => MAX_STEPS_8_BIT,
        Bits::Fourteen => MAX_STEPS_14_BIT,
    };
    let high = |value: f64| (value as i32 + HIGH / 2).div_euclid(HIGH);
    let low = |value: f64| value as i32 - HIGH * high(value);
    let first = values.len();
    let Rounded { values: mut rounded, max } = round_to_steps(query, max_steps);
    loop {
        match precision.bits {
            Bits::Eight => values.extend(rounded.iter().map(|&value| value as i8)),
            Bits::Fourteen => values.extend(rounded.iter().map(|&value| high(value) as i8)),
        }
        let sum = if precision.has_small_groups { largest_group_sum(&values[first..]) } else { 0 };
        if sum <= MAX_GROUP_SUM {
            break;
        }
        // Each time, `max_steps` shrinks to at most 128/129 of its value. The loop ends at the latest when all values,
        // or all high parts, are at most 32.
        max_steps *= f64::from(MAX_GROUP_SUM) / f64::from(sum);
        rounded = round_to_steps(query, max_steps).values;
        values.truncate(first);
    }
    let scale = (max / max_steps) as f32;
    // The squared length of the query's integers; with 14 bits, that of 64·|high| + |low|.
    let squares: f64 = match precision.bits {
        Bits::Eight => rounded.iter().map(|value| value * value).sum(),
        Bits::Fourteen => {
            values.extend(rounded.iter().map(|&value| low(value) as i8));
            rounded.iter().map(|&value| f64::from(HIGH * high(value).abs() + low(value).abs()).powi(2)).sum()
        }
    };
    let squared_length = squared_length(query);
    let length = squared_length.sqrt() * LENGTH_ROUNDING;
    // `W` in the module documentation.
    let rounded_length = f64::from(scale) * squares.sqrt() * LENGTH_ROUNDING;
    // ε plus the rounding error of the estimate: both are multiplied by n + e.
    let query_error = quantization_error(query, &rounded, scale) + 8.0 * UNIT_ROUNDOFF * rounded_length;
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
    let enlargement = 1.0 + 16.0 * UNIT_ROUNDOFF;
    let per_error = round_up((length + query_error) * enlargement);
    let per_length = round_up(per_length * enlargement);
    let constant = round_up(constant * enlargement);
    let upper = Int8Bound {
        scale,
        per_addend: per_error,
        per_length,
        per_square: round_up(upper_per_square),
        constant,
    };
    let lower = Int8Bound {
        scale,
        per_addend: -per_error,
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

    /// A row's score and its bounds. For distances, the score is converted to (score + |q|²) / 2, the quantity that the
    /// bounds hold for.
    struct Bounded {
        score: f64,
        upper: f64,
        lower: f64,
    }

    /// Scores a row for a query, and computes the bounds on the score from the quantized row and the quantized query.
    fn bounded(similarity: Similarity, query: &[f32], row: &[f32], precision: Precision) -> Bounded {
        let dim = query.len();
        let mut codes = vec![0; dim];
        let RowBounds { scale, error, length } = encode(row, &mut codes);
        let quantized = QuantizedQueries::new(similarity, dim, query, precision);
        let mut products = [0; 2];
        let products = &mut products[..quantized.vectors.len()];
        let kernels = kernels::int8::Int8Kernels::detect();
        kernels.products(&quantized.vectors, Int8Rows::new(&codes, dim, dim), products);
        let bounds = &quantized.bounds[0];
        let bound = |bound: &Int8Bound| {
            f64::from(bound.of(products[0], products.get(1).copied(), scale, error, length))
        };
        let score = f64::from(similarity.score(query, row));
        let score = bounds.squared_query_length.map_or(score, |squared| (score + squared) / 2.0);
        Bounded { score, upper: bound(&bounds.upper), lower: bound(&bounds.lower) }
    }

    /// Generates a query and a row, whose numbers have one magnitude or several.
    fn vectors() -> impl Strategy<Value = (Vec<f32>, Vec<f32>)> {
        let size = prop_oneof![Just(1.0f32), Just(1e-44), Just(1e-38), Just(1e-20), Just(1e16)];
        let number =
            prop_oneof![6 => -1.0f32..1.0, 1 => -1e-3f32..1e-3, 1 => Just(0.0), 1 => -1e-30f32..1e-30];
        (prop::collection::vec((number.clone(), number), 1..200), size.clone(), size)
            .prop_map(|(pairs, a, b)| pairs.into_iter().map(|(query, row)| (query * a, row * b)).unzip())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn scores_are_within_their_bounds(
            (query, row) in vectors(),
            bits in prop::sample::select(vec![Bits::Eight, Bits::Fourteen]), has_small_groups in any::<bool>(),
            is_near in any::<bool>(),
        ) {
            let precision = Precision { bits, has_small_groups };
            for similarity in [Similarity::Dot, Similarity::L2] {
                let near: Vec<f32> = row.iter().map(|x| x * 1.01).collect();
                let query = if is_near { near } else { query.clone() };
                let Bounded { score, upper, lower } = bounded(similarity, &query, &row, precision);
                // An allowance for the rounding errors, in double precision, of converting the score.
                let slack = (score.abs() + squared_length(&query)) * 2f64.powi(-50);
                prop_assert!(score <= upper + slack && score >= lower - slack, "{lower:e} {score:e} {upper:e}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn quantized_queries_have_small_groups_if_requested(
            (query, _) in vectors(), is_constant in any::<bool>(),
            bits in prop::sample::select(vec![Bits::Eight, Bits::Fourteen]),
        ) {
            // Equal values have the largest groups.
            let query = if is_constant { vec![query[0]; query.len()] } else { query };
            let precision = Precision { bits, has_small_groups: true };
            let quantized = QuantizedQueries::new(Similarity::Dot, query.len(), &query, precision).vectors;
            for part in (0..quantized.len()).map(|at| quantized.query(at)) {
                prop_assert!(largest_group_sum(part) <= MAX_GROUP_SUM);
            }
            // The integers of both parts together are in proportion to the query, up to rounding.
            let part = |at: usize| quantized.query(at).iter().map(|&value| i32::from(value));
            let integers: Vec<i32> = match bits {
                Bits::Eight => part(0).collect(),
                Bits::Fourteen => part(0).zip(part(1)).map(|(high, low)| HIGH * high + low).collect(),
            };
            let max = query.iter().fold(0f32, |max, value| max.max(value.abs()));
            let max_steps = integers.iter().map(|value| value.abs()).max().unwrap_or_default();
            prop_assert!(max == 0.0 || max_steps >= if bits == Bits::Eight { 31 } else { 2000 }, "{max_steps}");
            for (&integer, &value) in integers.iter().zip(&query) {
                let share = if max == 0.0 { 0.0 } else { f64::from(value) / f64::from(max) };
                let expected = share * f64::from(max_steps);
                prop_assert!((f64::from(integer) - expected).abs() <= 1.0, "{integer} is not {expected}");
            }
        }
    }

    #[test]
    fn a_bound_half_as_wide_would_be_violated() {
        // The query is the quantization error x − x̂ of the row, for which the Cauchy–Schwarz inequality is an
        // equality.
        let row: Vec<f32> = (0..64).map(|at| ((at * 37 % 64) as f32).sin()).collect();
        let mut codes = vec![0; row.len()];
        let RowBounds { scale, .. } = encode(&row, &mut codes);
        let query: Vec<f32> =
            row.iter().zip(&codes).map(|(&x, &code)| x - scale * (f32::from(code) - 128.0)).collect();
        let precision = Precision { bits: Bits::Fourteen, has_small_groups: false };
        for similarity in [Similarity::Dot, Similarity::L2] {
            let Bounded { score, upper, lower } = bounded(similarity, &query, &row, precision);
            assert!(lower <= score && score <= upper);
            let narrower = (upper + lower) / 2.0 + (upper - lower) / 4.0;
            assert!(score > narrower, "{score} is not above {narrower}");
        }
    }
}
