//! [`GradientKernels`]: the public functions, which check their arguments.

type GeluBackwardFn = unsafe fn(&[f32], &mut [f32]);
type SoftmaxBackwardFn = unsafe fn(&[f32], &mut [f32], f32);
type StandardizeFn = unsafe fn(&mut [f32], f32) -> f32;
/// `(standardized, weight, bias, out)`
type ScaleAndShiftFn = unsafe fn(&[f32], &[f32], &[f32], &mut [f32]);
/// `(standardized, factor, weight, gradients, gradients of the weights, gradients of the biases)`
type LayerNormBackwardFn = unsafe fn(&[f32], f32, &[f32], &mut [f32], &mut [f32], &mut [f32]);
type DropFn = unsafe fn(&mut [f32], Dropout, u64);
/// `(step, parameters, gradients, first moments, second moments)`
type AdamFn = unsafe fn(AdamStep, &mut [f32], &[f32], &mut [f32], &mut [f32]);

/// Operations for training with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`GradientKernels::detect`],
/// [`GradientKernels::available`] and [`GradientKernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct GradientKernels {
    pub(super) name: &'static str,
    pub(super) gelu_backward: GeluBackwardFn,
    pub(super) softmax_backward: SoftmaxBackwardFn,
    pub(super) standardize: StandardizeFn,
    pub(super) scale_and_shift: ScaleAndShiftFn,
    pub(super) layer_norm_backward: LayerNormBackwardFn,
    pub(super) drop: DropFn,
    pub(super) adam: AdamFn,
}

/// A dropout mask (Srivastava et al., 2014), computed from a hash of `key`, the row and the column. So the backward
/// pass drops the same values as the forward pass although nothing is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    pub(super) key: u64,
    pub(super) threshold: u32,
    pub(super) factor: f32,
}

impl Dropout {
    /// Drops each value with a probability.
    ///
    /// # Panics
    ///
    /// Unless the probability is at least 0 and less than 1.
    #[must_use]
    pub fn new(probability: f32, key: u64) -> Self {
        assert!(
            (0.0..1.0).contains(&probability),
            "dropout: expected a probability below 1, got {probability}"
        );
        let threshold = (f64::from(probability) * 2f64.powi(32)) as u32;
        Self { key, threshold, factor: 1.0 / (1.0 - probability) }
    }

    /// Whether no value is dropped.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.threshold == 0
    }
}

/// The numbers of a step of AdamW (Loshchilov and Hutter, 2019, algorithm 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamStep {
    /// The learning rate of this step.
    pub rate: f32,
    /// The weight decay, which is multiplied by the learning rate, as in PyTorch.
    pub decay: f32,
    /// The decay rate of the first moments.
    pub beta_1: f32,
    /// The decay rate of the second moments.
    pub beta_2: f32,
    /// The number that is added to the root of the second moment.
    pub epsilon: f32,
    /// 1 / (1 − `beta_1` ^ number of the step).
    pub first_correction: f32,
    /// 1 / (1 − `beta_2` ^ number of the step).
    pub second_correction: f32,
    /// A factor of all gradients, for clipping.
    pub scale: f32,
}

impl GradientKernels {
    /// Multiplies gradients by the derivatives of GELU at `inputs`. The error of a derivative is below 10⁻⁶.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn gelu_backward(&self, inputs: &[f32], gradients: &mut [f32]) {
        same("gelu", inputs.len(), &[gradients.len()]);
        // SAFETY: `self` exists, so the CPU has the features that `self.gelu_backward` needs.
        unsafe { (self.gelu_backward)(inputs, gradients) }
    }

    /// The backward pass of p = softmax(`scale` · x): replaces the gradients g with respect to p by those with respect
    /// to x, `scale` · p · (g − Σ p g).
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn softmax_backward(&self, probabilities: &[f32], gradients: &mut [f32], scale: f32) {
        same("softmax", probabilities.len(), &[gradients.len()]);
        // SAFETY: `self` exists, so the CPU has the features that `self.softmax_backward` needs.
        unsafe { (self.softmax_backward)(probabilities, gradients, scale) }
    }

    /// Standardizes a row: subtracts the mean, and multiplies by the factor 1 / √(variance + epsilon), which is
    /// returned.
    pub fn standardize(&self, row: &mut [f32], epsilon: f32) -> f32 {
        // SAFETY: `self` exists, so the CPU has the features that `self.standardize` needs.
        unsafe { (self.standardize)(row, epsilon) }
    }

    /// Writes standardized · weight + bias to `out`, the second half of a layer normalization.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn scale_and_shift(&self, standardized: &[f32], weight: &[f32], bias: &[f32], out: &mut [f32]) {
        same("normalize", standardized.len(), &[weight.len(), bias.len(), out.len()]);
        // SAFETY: `self` exists, so the CPU has the features that `self.scale_and_shift` needs.
        unsafe { (self.scale_and_shift)(standardized, weight, bias, out) }
    }

    /// Replaces the gradients of the outputs of a layer normalization by those of its inputs, and adds the gradients of
    /// weights and biases to `weight_gradients` and `bias_gradients`. [`standardize`](Self::standardize) returned
    /// `standardized` and `factor`.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn layer_norm_backward(
        &self,
        standardized: &[f32],
        factor: f32,
        weight: &[f32],
        gradients: &mut [f32],
        weight_gradients: &mut [f32],
        bias_gradients: &mut [f32],
    ) {
        let lengths = [weight.len(), gradients.len(), weight_gradients.len(), bias_gradients.len()];
        same("normalize", standardized.len(), &lengths);
        let run = self.layer_norm_backward;
        // SAFETY: `self` exists, so the CPU has the features that `self.layer_norm_backward` needs.
        unsafe { run(standardized, factor, weight, gradients, weight_gradients, bias_gradients) }
    }

    /// Sets values of a row to 0 with the probability of `dropout`, and divides the others by 1 − this probability.
    /// `row` is the number of the row among all rows that have the same key.
    pub fn drop(&self, values: &mut [f32], dropout: Dropout, row: u64) {
        if !dropout.is_off() {
            // SAFETY: `self` exists, so the CPU has the features that `self.drop` needs.
            unsafe { (self.drop)(values, dropout, row) }
        }
    }

    /// Updates parameters, and the first and second moments of their gradients, by a step of AdamW.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn adam(
        &self,
        step: AdamStep,
        parameters: &mut [f32],
        gradients: &[f32],
        first_moments: &mut [f32],
        second_moments: &mut [f32],
    ) {
        same("optimizer", parameters.len(), &[gradients.len(), first_moments.len(), second_moments.len()]);
        // SAFETY: `self` exists, so the CPU has the features that `self.adam` needs.
        unsafe { (self.adam)(step, parameters, gradients, first_moments, second_moments) }
    }
}

/// Panics unless all lengths are equal.
fn same(operation: &str, expected: usize, got: &[usize]) {
    assert!(got.iter().all(|&got| got == expected), "{operation}: expected {expected} values, got {got:?}");
}
