//! How vectors are compared: [`Similarity`] checks, scales and scores them. Vectors in the form in which they are
//! stored and compared (checked and, for cosine, scaled to length 1) are called *prepared*.

use std::borrow::Cow;

use crate::Error;
use crate::store::element::Element;

/// How a query and a stored vector are scored; higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Similarity {
    /// The inner product q·x of the vectors as they are.
    #[default]
    Dot,
    /// The inner product of both vectors scaled to length 1: q·x / (|q|·|x|). Vectors are scaled when they are added.
    /// Zero vectors are rejected.
    Cosine,
    /// The negated squared Euclidean distance: −|q − x|².
    L2,
}

/// The maximum length of a vector: 2⁶². Its square is 2¹²⁴, so that no sum of products or of squared differences
/// reaches 2¹²⁸, the smallest number that is infinite as an `f32`, in any order of summation.
const MAX_LENGTH: f64 = (1u64 << 62) as f64;

impl Similarity {
    /// Returns the name: `dot`, `cosine` or `l2`, as in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::Cosine => "cosine",
            Self::L2 => "l2",
        }
    }

    /// Returns the similarity with this name; `None` for any other name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Dot, Self::Cosine, Self::L2].into_iter().find(|similarity| similarity.name() == name)
    }

    /// Checks the vectors `[n * dim]` and, for cosine, scales them to length 1. The result is the form in which vectors
    /// are stored and compared. `operation` is the name of the caller's operation, for error messages.
    pub(crate) fn prepare<'a>(
        self,
        operation: &'static str,
        dim: usize,
        vectors: &'a [f32],
    ) -> Result<Cow<'a, [f32]>, Error> {
        if !vectors.len().is_multiple_of(dim) {
            return Err(Error::Dimension { operation, expected: dim, got: vectors.len() });
        }
        let mut prepared = Cow::Borrowed(vectors);
        for (row, vector) in vectors.chunks_exact(dim).enumerate() {
            let length = length(vector);
            if !length.is_finite()
                && let Some(column) = vector.iter().position(|value| !value.is_finite())
            {
                return Err(Error::NotFinite { operation, row, column, value: vector[column] });
            }
            if self == Self::Cosine {
                if length == 0.0 {
                    return Err(Error::Zero { operation, row });
                }
                for value in &mut prepared.to_mut()[row * dim..][..dim] {
                    *value = (f64::from(*value) / length) as f32;
                }
            } else if length > MAX_LENGTH {
                return Err(Error::Length { operation, row, expected: MAX_LENGTH, got: length });
            }
        }
        Ok(prepared)
    }

    /// [Prepares](Self::prepare) exactly one vector.
    pub(crate) fn prepare_query<'a>(self, dim: usize, query: &'a [f32]) -> Result<Cow<'a, [f32]>, Error> {
        if query.len() != dim {
            return Err(Error::Dimension { operation: "search", expected: dim, got: query.len() });
        }
        self.prepare("search", dim, query)
    }

    /// Returns whether a stored vector can be a result of [`prepare`](Self::prepare). If it cannot, its file is
    /// corrupt.
    pub(crate) fn is_prepared(self, vector: &[f32]) -> bool {
        // Rounding to half precision changes the length of a vector of length 1 by less than 2⁻¹⁰.
        let max_length = if self == Self::Cosine { 1.001 } else { MAX_LENGTH };
        // This is false for NaN.
        length(vector) <= max_length
    }

    /// Returns the score of a prepared query and a stored row.
    pub(crate) fn score<T: Element>(self, query: &[f32], row: &[T]) -> f32 {
        match self {
            Self::Dot | Self::Cosine => positive_zero(T::product(query, row)),
            Self::L2 => 0.0 - T::squared_distance(query, row),
        }
    }

    /// Writes the scores of a prepared query and the stored rows `[n * dim]` to `scores` `[n]`.
    pub(crate) fn score_rows<T: Element>(self, query: &[f32], rows: &[T], scores: &mut [f32]) {
        match self {
            Self::Dot | Self::Cosine => {
                T::products(query, rows, scores);
                scores.iter_mut().for_each(|score| *score = positive_zero(*score));
            }
            Self::L2 => {
                T::squared_distances(query, rows, scores);
                scores.iter_mut().for_each(|score| *score = 0.0 - *score);
            }
        }
    }
}

/// Turns −0 into 0. The two are equal as numbers, but the total order by which hits are ranked puts −0 below 0.
fn positive_zero(score: f32) -> f32 {
    score + 0.0
}

/// Returns the L2 norm in double precision, in which no square of an `f32` overflows or underflows.
pub(crate) fn length(vector: &[f32]) -> f64 {
    squared_length(vector).sqrt()
}

/// Returns |x|² in double precision.
pub(crate) fn squared_length(vector: &[f32]) -> f64 {
    // Four sums can be vectorized; the additions of a single sum would have to stay in order.
    let (chunks, rest) = vector.as_chunks::<4>();
    let mut sums = [0.0f64; 4];
    for chunk in chunks {
        for (sum, &value) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(value) * f64::from(value);
        }
    }
    let rest: f64 = rest.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_invalid_vector_and_the_reason() {
        let error = |similarity: Similarity, vectors: &[f32]| {
            similarity.prepare("add", 2, vectors).expect_err("invalid").to_string()
        };
        assert_eq!(error(Similarity::Dot, &[1.0; 3]), "add: expected vectors of dimension 2, got 3 values");
        assert_eq!(
            error(Similarity::Dot, &[1.0, 2.0, 3.0, f32::NAN]),
            "add: expected finite numbers, got NaN at row 1, column 1"
        );
        assert_eq!(
            error(Similarity::L2, &[f32::NEG_INFINITY, 0.0]),
            "add: expected finite numbers, got -inf at row 0, column 0"
        );
        assert!(error(Similarity::Dot, &[1e30, 0.0]).contains("got one of length 1.000e30 at row 0"));
        assert!(error(Similarity::Cosine, &[1.0, 0.0, 0.0, -0.0]).ends_with("got a zero vector at row 1"));
    }

    #[test]
    fn cosine_accepts_vectors_of_any_length() {
        for size in [1e-44, 1e-30, 1.0, 1e30, f32::MAX] {
            let prepared = Similarity::Cosine.prepare("add", 2, &[size, -size]).map(Cow::into_owned);
            let root_of_half = 0.5f32.sqrt();
            assert_eq!(prepared.expect("valid"), [root_of_half, -root_of_half]);
        }
    }

    #[test]
    fn no_score_is_negative_zero_and_the_longest_vectors_have_finite_scores() {
        for similarity in [Similarity::Dot, Similarity::Cosine, Similarity::L2] {
            let [a, b] = [[0.0f32, 1.0], [-1.0, 0.0]];
            let mut scores = [f32::NAN; 1];
            similarity.score_rows(&a, &b, &mut scores);
            assert_eq!(scores[0].to_bits(), similarity.score(&a, &b).to_bits());
            assert_ne!(scores[0].to_bits(), (-0.0f32).to_bits());
            let score_with_itself = similarity.score(&a, &a);
            assert_ne!(score_with_itself.to_bits(), (-0.0f32).to_bits());
        }
        let (longest, opposite) = ([MAX_LENGTH as f32, 0.0], [-MAX_LENGTH as f32, 0.0]);
        assert!(Similarity::Dot.score(&longest, &opposite).is_finite());
        assert!(Similarity::L2.score(&longest, &opposite).is_finite());
    }
}
