//! Adam, the optimizer that finds enrichments (Kingma and Ba, 2015, "Adam: A Method for Stochastic Optimization",
//! algorithm 1).

/// The parameters of Adam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// α, the step size.
    pub learning_rate: f64,
    /// β₁, the decay rate of the running mean of gradients.
    pub beta1: f64,
    /// β₂, the decay rate of the running mean of squared gradients.
    pub beta2: f64,
    /// ε, which is added to the square root of the mean of squared gradients.
    pub epsilon: f64,
}

/// The learning rate is the one that Ram et al. (2023, §6.2) use for most models; the other parameters are those of
/// Kingma and Ba (2015).
impl Default for Adam {
    fn default() -> Self {
        Self { learning_rate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

/// The state of the optimizer: running means of the gradients and of their squares.
pub(crate) struct Moments<'a> {
    /// m, the running mean of gradients.
    pub first: &'a mut [f32],
    /// v, the running mean of squared gradients.
    pub second: &'a mut [f32],
}

impl Adam {
    /// Takes step number `step`, counted from 1: updates `values` and `moments`. All slices have the same length.
    pub(crate) fn step(&self, step: u32, gradient: &[f32], values: &mut [f32], moments: Moments<'_>) {
        let exponent = f64::from(step);
        let bias_correction = |beta: f64| 1.0 / (1.0 - libm::pow(beta, exponent));
        let (correction1, correction2) = (bias_correction(self.beta1), bias_correction(self.beta2));
        let moments = moments.first.iter_mut().zip(moments.second);
        for ((value, &gradient), (first, second)) in values.iter_mut().zip(gradient).zip(moments) {
            let gradient = f64::from(gradient);
            let mean = self.beta1 * f64::from(*first) + (1.0 - self.beta1) * gradient;
            let mean_square = self.beta2 * f64::from(*second) + (1.0 - self.beta2) * gradient * gradient;
            (*first, *second) = (mean as f32, mean_square as f32);
            let denominator = (mean_square * correction2).sqrt() + self.epsilon;
            *value -= (self.learning_rate * mean * correction1 / denominator) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_those_of_the_algorithm() {
        let adam = Adam { learning_rate: 0.5, beta1: 0.5, beta2: 0.75, epsilon: 0.0 };
        let (mut values, mut first, mut second) = ([1.0, 1.0], [0.0, 0.0], [0.0, 0.0]);
        // m = g/2 and v = g²/4. After the bias correction they are g and g², so each value moves by α against the sign
        // of g.
        let moments = Moments { first: &mut first, second: &mut second };
        adam.step(1, &[4.0, -8.0], &mut values, moments);
        assert_eq!((values, first, second), ([0.5, 1.5], [2.0, -4.0], [4.0, 16.0]));
        // m = 2/2 + 2/2 = 2 and v = 3/4 · 4 + 4/4 = 4. The bias correction divides them by 1 − 1/4 and 1 − 9/16.
        let moments = Moments { first: &mut first, second: &mut second };
        adam.step(2, &[2.0, 0.0], &mut values, moments);
        let expected = 0.5 - 0.5 * (2.0 / 0.75) / (4.0f64 / 0.4375).sqrt();
        assert!((f64::from(values[0]) - expected).abs() < 1e-7);
        assert_eq!((first, second), ([2.0, -2.0], [4.0, 12.0]));
    }
}
