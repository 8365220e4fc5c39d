//! Pools the vectors of a text's tokens into one vector, and scales vectors to unit length.

/// How the vectors of a text's tokens are pooled into one vector.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pooling {
    /// The vector of the first token, `[CLS]`, as in DPR (Karpukhin et al., 2020, §3.1).
    #[default]
    Cls,
    /// The mean over the text's tokens, special tokens included, as in Sentence-BERT (Reimers and Gurevych, 2019, §3).
    Mean,
    /// The model itself pools. The vector is the output with this name.
    Output(String),
}

impl Pooling {
    /// Pools the token vectors of one text. `states` has the shape `[length, dim]`: a row for each of the text's
    /// `token_count` tokens, followed by rows for padding. With [`Output`](Self::Output), `states` is the vector
    /// itself. The result is written to `vector`, which has `dim` values that must be 0 before the call.
    pub(crate) fn pool(&self, states: &[f32], token_count: usize, vector: &mut [f32]) {
        let dim = vector.len();
        match self {
            Self::Cls | Self::Output(_) => vector.copy_from_slice(&states[..dim]),
            Self::Mean => {
                for token in states.chunks_exact(dim).take(token_count) {
                    for (sum, value) in vector.iter_mut().zip(token) {
                        *sum += value;
                    }
                }
                let scale = 1.0 / token_count.max(1) as f32;
                vector.iter_mut().for_each(|sum| *sum *= scale);
            }
        }
    }
}

/// Scales a vector to unit length. A zero vector stays zero.
pub(crate) fn normalize(vector: &mut [f32]) {
    let norm = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / norm) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_tokens_without_padding_and_cls_is_the_first_token() {
        let states = [1.0, 2.0, 3.0, 6.0, 100.0, 100.0];
        let mut mean = [0.0; 2];
        Pooling::Mean.pool(&states, 2, &mut mean);
        assert_eq!(mean, [2.0, 4.0]); // (1 + 3) / 2, (2 + 6) / 2
        let mut first = [0.0; 2];
        Pooling::Cls.pool(&states, 2, &mut first);
        assert_eq!(first, [1.0, 2.0]);
    }

    #[test]
    fn vectors_are_scaled_to_unit_length_except_the_zero_vector() {
        let mut vector = [3.0, 4.0];
        normalize(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
        let mut zero = [0.0, 0.0];
        normalize(&mut zero);
        assert_eq!(zero, [0.0, 0.0]);
    }
}
