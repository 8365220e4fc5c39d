//! The matrix product of the crate `gemm`, which benchmarks of other crates compare with. It is here because its call is
//! unsafe, and unsafe code belongs in this crate.

use gemm::Parallelism;

/// `logits[r * tokens + t] = transformed[r] · decoder[t]`
pub fn product(transformed: &[f32], decoder: &[f32], logits: &mut [f32], dim: usize, threads: usize) {
    let (rows, tokens) = (transformed.len() / dim, decoder.len() / dim);
    let parallel = if threads == 1 { Parallelism::None } else { Parallelism::Rayon(threads) };
    assert_eq!(logits.len(), rows * tokens);
    // SAFETY: the pointers are valid for `rows × tokens`, `rows × dim` and `tokens × dim` numbers with the given strides.
    #[allow(unsafe_code, reason = "the crate `gemm` has no other call")]
    unsafe {
        gemm::gemm(
            rows,
            tokens,
            dim,
            logits.as_mut_ptr(),
            1,
            tokens as isize,
            false,
            transformed.as_ptr(),
            1,
            dim as isize,
            decoder.as_ptr(),
            dim as isize,
            1,
            0.0f32,
            1.0f32,
            false,
            false,
            false,
            parallel,
        );
    }
}
