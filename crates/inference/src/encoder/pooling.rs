/// How the vectors of a text's tokens become the text's vector.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pooling {
    /// The first token's (DPR: Karpukhin et al., 2020).
    #[default]
    Cls,
    /// The mean over the text's tokens (Reimers & Gurevych, 2019).
    Mean,
    /// The model pools; the output of this name is the vector.
    Output(String),
}

impl Pooling {
    /// Pools one row: `states` is `[length, dim]`, of which the first `tokens` are the text's. Adds to `into`, `[dim]`, which is zero.
    pub(crate) fn row(&self, states: &[f32], tokens: usize, into: &mut [f32]) {
        let dim = into.len();
        match self {
            Self::Cls | Self::Output(_) => into.copy_from_slice(&states[..dim]),
            Self::Mean => {
                for token in states.chunks_exact(dim).take(tokens) {
                    for (sum, value) in into.iter_mut().zip(token) {
                        *sum += value;
                    }
                }
                let share = 1.0 / tokens.max(1) as f32;
                into.iter_mut().for_each(|sum| *sum *= share);
            }
        }
    }
}

/// Scales a vector to unit length; a zero vector stays.
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
    fn the_mean_leaves_filling_out() {
        let states = [1.0, 2.0, 3.0, 6.0, 100.0, 100.0];
        let mut mean = [0.0; 2];
        Pooling::Mean.row(&states, 2, &mut mean);
        assert_eq!(mean, [2.0, 4.0]); // (1 + 3) / 2, (2 + 6) / 2
        let mut first = [0.0; 2];
        Pooling::Cls.row(&states, 2, &mut first);
        assert_eq!(first, [1.0, 2.0]);
    }

    #[test]
    fn unit_length_and_zero() {
        let mut vector = [3.0, 4.0];
        normalize(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
        let mut zero = [0.0, 0.0];
        normalize(&mut zero);
        assert_eq!(zero, [0.0, 0.0]);
    }
}
