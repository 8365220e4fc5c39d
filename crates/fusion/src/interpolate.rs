//! Linear interpolation between two lists.

use crate::{Linear, Method, Missing, Normalization};

impl Method {
    /// α · first + (1 − α) · second, computed with normalized scores. A missing score is 0, which is the lowest
    /// possible score under [`Normalization::MinMax`]. Under [`Normalization::ZScore`], 0 is the mean, so there a
    /// missing score is the lowest score of the list instead.
    #[must_use]
    pub fn interpolate(alpha: f64, normalization: Normalization) -> Self {
        let missing = if normalization == Normalization::ZScore { Missing::Minimum } else { Missing::Zero };
        Self::Linear(Linear { weights: vec![alpha, 1.0 - alpha], normalization, missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse;
    use ranking::Hit;

    #[test]
    fn interpolation_weights_the_lists_by_alpha_and_one_minus_alpha() {
        let (first, second) =
            ([Hit { ord: 1, score: 9.0 }, Hit { ord: 2, score: 1.0 }], [Hit { ord: 2, score: 3.0 }]);
        let fused =
            fuse(&[&first, &second], &Method::interpolate(0.25, Normalization::MinMax), 10).expect("fuses");
        // Passage 2: 0.25 · 0 + 0.75 · 1. Passage 1: 0.25 · 1 + 0.75 · 0.
        assert_eq!(fused, [Hit { ord: 2, score: 0.75 }, Hit { ord: 1, score: 0.25 }]);
    }
}
