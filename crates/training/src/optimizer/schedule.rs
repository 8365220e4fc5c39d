//! [`Schedule`]: the learning rate of each step.

/// A linear warm-up to a learning rate, and a linear decay from there to 0 (Devlin et al., 2019, appendix A.2).
///
/// ```
/// use training::optimizer::Schedule;
///
/// let schedule = Schedule { rate: 1.0, warm_up_steps: 2, steps: 6 };
/// let rates: Vec<f32> = (1..=6).map(|step| schedule.rate_at(step)).collect();
/// assert_eq!(rates, [0.5, 1.0, 0.8, 0.6, 0.4, 0.2]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// The highest learning rate.
    pub rate: f32,
    /// Number of steps in which the learning rate grows.
    pub warm_up_steps: u64,
    /// Number of all steps.
    pub steps: u64,
}

impl Schedule {
    /// The learning rate of a step, whose number begins at 1. It is 0 after the last step.
    #[must_use]
    pub fn rate_at(&self, step: u64) -> f32 {
        let factor = if step <= self.warm_up_steps {
            step as f64 / self.warm_up_steps as f64
        } else {
            // The step after the last one has the rate 0.
            let left = (self.steps + 1).saturating_sub(step);
            left as f64 / (self.steps + 1).saturating_sub(self.warm_up_steps).max(1) as f64
        };
        (f64::from(self.rate) * factor) as f32
    }
}
