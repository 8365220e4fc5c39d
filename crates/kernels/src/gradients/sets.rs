//! The portable loops, compiled for each instruction set.

/// Defines a module with `KERNELS` for an instruction set.
macro_rules! define_gradients {
    ($set:ident, $name:literal $(, #[$feature:meta])?) => {
        pub(super) mod $set {
            use crate::gradients::{AdamStep, Dropout, GradientKernels, lanes};

            pub(in crate::gradients) static KERNELS: GradientKernels = GradientKernels {
                name: $name,
                gelu_backward,
                softmax_backward,
                standardize,
                scale_and_shift,
                layer_norm_backward,
                drop,
                adam,
            };

            $(#[$feature])?
            fn gelu_backward(inputs: &[f32], gradients: &mut [f32]) {
                lanes::gelu_backward(inputs, gradients);
            }

            $(#[$feature])?
            fn softmax_backward(probabilities: &[f32], gradients: &mut [f32], scale: f32) {
                lanes::softmax_backward(probabilities, gradients, scale);
            }

            $(#[$feature])?
            fn standardize(row: &mut [f32], epsilon: f32) -> f32 {
                lanes::standardize(row, epsilon)
            }

            $(#[$feature])?
            fn scale_and_shift(standardized: &[f32], weight: &[f32], bias: &[f32], out: &mut [f32]) {
                lanes::scale_and_shift(standardized, weight, bias, out);
            }

            $(#[$feature])?
            fn layer_norm_backward(
                standardized: &[f32],
                factor: f32,
                weight: &[f32],
                gradients: &mut [f32],
                weight_gradients: &mut [f32],
                bias_gradients: &mut [f32],
            ) {
                lanes::layer_norm_backward(
                    standardized, factor, weight, gradients, weight_gradients, bias_gradients,
                );
            }

            $(#[$feature])?
            fn drop(values: &mut [f32], dropout: Dropout, row: u64) {
                lanes::drop(values, dropout, row);
            }

            $(#[$feature])?
            fn adam(
                step: AdamStep,
                parameters: &mut [f32],
                gradients: &[f32],
                first_moments: &mut [f32],
                second_moments: &mut [f32],
            ) {
                lanes::adam(step, parameters, gradients, first_moments, second_moments);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
define_gradients!(avx512, "avx512", #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]);
#[cfg(target_arch = "x86_64")]
define_gradients!(avx2, "avx2+fma", #[target_feature(enable = "avx2,fma")]);
#[cfg(target_arch = "aarch64")]
define_gradients!(neon, "neon", #[target_feature(enable = "neon")]);
define_gradients!(scalar, "scalar");
