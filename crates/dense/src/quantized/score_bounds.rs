use kernels::int8::{Int8Bound, Int8Queries};
use numerics::rounding::{SMALLEST_SUBNORMAL, UNIT_ROUNDOFF, gamma};

use super::quantized_rows::{error, round_up, rounded};
use crate::Similarity;
use crate::similarity::squared_length;

/// Steps of a query of 16 bits: 256·127 + 127, so that the upper and the lower part fit a byte each.
const FINE_STEPS: f64 = 32_639.0;
const COARSE_STEPS: f64 = 127.0;
/// More than what double precision loses in a length, relative to it.
const SUMMED: f64 = 1.0 + 1.0 / (1u64 << 30) as f64;

/// Queries in codes, with what bounds their scores.
#[derive(Debug)]
pub(super) struct Coded {
    /// Of fine queries upper and lower parts by turns.
    pub queries: Int8Queries,
    pub bounds: Vec<Bounds>,
    pub fine: bool,
}

/// What bounds the scores of one query. Bounds are of `q·x` for inner products; for distances they are of
/// `q·x − |x|²/2`, which is half of what the score exceeds `−|q|²` by.
#[derive(Debug)]
pub(super) struct Bounds {
    pub upper: Int8Bound,
    pub lower: Int8Bound,
    /// |q|² for distances.
    offset: Option<f64>,
}

impl Coded {
    /// Prepared queries `[q * dim]`, of 16 bits if `fine`, otherwise of 8.
    pub fn new(similarity: Similarity, dim: usize, queries: &[f32], fine: bool) -> Self {
        let mut values = Vec::with_capacity(queries.len() * (1 + usize::from(fine)));
        let bounds =
            queries.chunks_exact(dim).map(|query| code(similarity, query, fine, &mut values)).collect();
        Self { queries: Int8Queries::new(dim, values), bounds, fine }
    }
}

impl Bounds {
    /// What an upper bound has to reach for a row not to score surely less than `score`.
    pub fn reach(&self, score: f32) -> f64 {
        let score = f64::from(score);
        self.offset.map_or(score, |offset| {
            // The margin is more than what double precision loses here.
            (score + offset) / 2.0 - (score.abs() + offset) / (1u64 << 40) as f64
        })
    }
}

/// Appends a query's codes and derives its bounds.
///
/// Let `p` be |q|, `ε` the bound of |q − q̂|, `e` and `n` a row's error and length. With exact arithmetic the score is
/// off `q̂·x̂` by at most `p·e + ε·|x̂|`, and `|x̂| ≤ n + e`. Then there is rounding, with `u = 2⁻²⁴`:
///
/// - The product in `f32`: at most five operations on parts that come to `w·|x̂|` at most, `w` being the length of the
///   query with its parts made positive: less than `8u·w·(n + e)`. Where it is too small for a normal float, half of
///   the smallest a time, once multiplied by the scale, which is less than `n` or the smallest.
/// - The terms of the bound: six operations at most, so each coefficient is enlarged by `16u`.
/// - The score itself, which is to be bounded as it is computed: `γ₍d₊₁₎·p·n` for inner products, of squared distances
///   half of `γ₍d₊₃₎·(p + n)²`, and half of the smallest for each number (see `kernels::reference`).
/// - For distances `|x|²` is taken as `n²`, which is more by less than `2⁻²¹` of it, and `8u·n²` is for its operations.
fn code(similarity: Similarity, query: &[f32], fine: bool, values: &mut Vec<i8>) -> Bounds {
    let dim = query.len();
    let steps = if fine { FINE_STEPS } else { COARSE_STEPS };
    let (rounded, largest) = rounded(query, steps);
    let scale = (largest / steps) as f32;
    let mut squares = 0.0;
    if fine {
        // Value v is 256·⌊(v + 128) / 256⌋ and the rest, of −128 to 127.
        let upper = |value: f64| (value as i32 + 128) >> 8;
        values.extend(rounded.iter().map(|&value| upper(value) as i8));
        values.extend(rounded.iter().map(|&value| (value as i32 - 256 * upper(value)) as i8));
        for &value in &rounded {
            let lower = value as i32 - 256 * upper(value);
            squares += f64::from(256 * upper(value).abs() + lower.abs()).powi(2);
        }
    } else {
        values.extend(rounded.iter().map(|&value| value as i8));
        squares = rounded.iter().map(|value| value * value).sum();
    }
    let squared = squared_length(query);
    let length = squared.sqrt() * SUMMED;
    let lost =
        error(query, &rounded, scale) + 8.0 * UNIT_ROUNDOFF * f64::from(scale) * squares.sqrt() * SUMMED;
    let enlarged = 1.0 + 16.0 * UNIT_ROUNDOFF;
    let mut constant = (dim as f64 + 16.0) * SMALLEST_SUBNORMAL;
    let mut per_length = lost + SMALLEST_SUBNORMAL;
    // Of |x|² for the upper bound, and for the lower.
    let mut per_square = [0.0; 2];
    let offset = match similarity {
        Similarity::Dot | Similarity::Cosine => {
            per_length += gamma(dim + 1) * length;
            None
        }
        Similarity::L2 => {
            let gamma = gamma(dim + 3);
            per_length += gamma * length;
            constant += gamma * length * length / 2.0;
            let square = gamma / 2.0 + 8.0 * UNIT_ROUNDOFF;
            per_square = [-0.5 + square + 1.0 / (1u64 << 21) as f64, -0.5 - square];
            Some(squared)
        }
    };
    let per_error = round_up((length + lost) * enlarged);
    let per_length = round_up(per_length * enlarged);
    let constant = round_up(constant * enlarged);
    let upper = Int8Bound { scale, per_error, per_length, per_square: round_up(per_square[0]), constant };
    let lower = Int8Bound {
        scale,
        per_error: -per_error,
        per_length: -per_length,
        per_square: -round_up(-per_square[1]),
        constant: -constant,
    };
    Bounds { upper, lower, offset }
}

#[cfg(test)]
mod tests {
    use kernels::int8::Int8Rows;
    use proptest::prelude::*;

    use super::super::quantized_rows::encode;
    use super::*;

    /// A row's score and what bounds it, all on the scale of the bounds.
    struct Bounded {
        score: f64,
        upper: f64,
        lower: f64,
    }

    fn bounded(similarity: Similarity, query: &[f32], row: &[f32], fine: bool) -> Bounded {
        let dim = query.len();
        let mut codes = vec![0; dim];
        let [scale, error, length] = encode(row, &mut codes);
        let coded = Coded::new(similarity, dim, query, fine);
        let mut products = [0; 2];
        let products = &mut products[..coded.queries.len()];
        let kernels = kernels::int8::Int8Kernels::detect();
        kernels.products(&coded.queries, Int8Rows::new(&codes, dim, dim), products);
        let bounds = &coded.bounds[0];
        let bound = |bound: &Int8Bound| {
            f64::from(bound.of(products[0], products.get(1).copied(), scale, error, length))
        };
        let score = f64::from(similarity.score(query, row));
        let score = bounds.offset.map_or(score, |offset| (score + offset) / 2.0);
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
        fn scores_are_within_their_bounds((query, row) in vectors(), fine in any::<bool>(), near in any::<bool>()) {
            for similarity in [Similarity::Dot, Similarity::L2] {
                let query: Vec<f32> = if near { row.iter().map(|x| x * 1.01).collect() } else { query.clone() };
                let Bounded { score, upper, lower } = bounded(similarity, &query, &row, fine);
                // What double precision loses on the way to the scale of the bounds.
                let lost = (score.abs() + squared_length(&query)) * 2f64.powi(-50);
                prop_assert!(score <= upper + lost && score >= lower - lost, "{lower:e} {score:e} {upper:e}");
            }
        }
    }

    #[test]
    fn half_of_the_bound_would_not_do() {
        // A query along what the codes leave out: the inequality of Cauchy and Schwarz is an equality.
        let row: Vec<f32> = (0..64).map(|at| ((at * 37 % 64) as f32).sin()).collect();
        let mut codes = vec![0; row.len()];
        let [scale, ..] = encode(&row, &mut codes);
        let query: Vec<f32> =
            row.iter().zip(&codes).map(|(&x, &code)| x - scale * (f32::from(code) - 128.0)).collect();
        for similarity in [Similarity::Dot, Similarity::L2] {
            let Bounded { score, upper, lower } = bounded(similarity, &query, &row, true);
            assert!(lower <= score && score <= upper);
            let half = (upper + lower) / 2.0 + (upper - lower) / 4.0;
            assert!(score > half, "{score} is not above {half}");
        }
    }
}
