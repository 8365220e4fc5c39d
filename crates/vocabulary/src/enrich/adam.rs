/// Adam (Kingma and Ba, 2015, algorithm 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// α
    pub learning_rate: f64,
    /// β₁, of the mean of gradients.
    pub beta1: f64,
    /// β₂, of the mean of their squares.
    pub beta2: f64,
    /// Added to the root of that.
    pub epsilon: f64,
}

/// As Ram et al. (2023, §6.2) have it, else as Kingma and Ba.
impl Default for Adam {
    fn default() -> Self {
        Self { learning_rate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

impl Adam {
    /// Takes step number `step`, from 1. All slices are of one length.
    pub(crate) fn step(
        &self,
        step: u32,
        gradient: &[f32],
        values: &mut [f32],
        (first, second): (&mut [f32], &mut [f32]),
    ) {
        let exponent = f64::from(step);
        let unbiased = |beta: f64| 1.0 / (1.0 - libm::pow(beta, exponent));
        let (scale1, scale2) = (unbiased(self.beta1), unbiased(self.beta2));
        let moments = first.iter_mut().zip(second);
        for ((value, &gradient), (first, second)) in values.iter_mut().zip(gradient).zip(moments) {
            let gradient = f64::from(gradient);
            let mean = self.beta1 * f64::from(*first) + (1.0 - self.beta1) * gradient;
            let square = self.beta2 * f64::from(*second) + (1.0 - self.beta2) * gradient * gradient;
            (*first, *second) = (mean as f32, square as f32);
            *value -= (self.learning_rate * mean * scale1 / ((square * scale2).sqrt() + self.epsilon)) as f32;
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
        // m = g/2 and v = g²/4, both unbiased: g and g². The step is α, against the sign.
        adam.step(1, &[4.0, -8.0], &mut values, (&mut first, &mut second));
        assert_eq!((values, first, second), ([0.5, 1.5], [2.0, -4.0], [4.0, 16.0]));
        // m = 2/2 + 2/2 = 2, divided by 1 − 1/4; v = 3/4 · 4 + 4/4 = 4, divided by 1 − 9/16.
        adam.step(2, &[2.0, 0.0], &mut values, (&mut first, &mut second));
        let expected = 0.5 - 0.5 * (2.0 / 0.75) / (4.0f64 / 0.4375).sqrt();
        assert!((f64::from(values[0]) - expected).abs() < 1e-7);
        assert_eq!((first, second), ([2.0, -2.0], [4.0, 12.0]));
    }
}
