//! The matrix product of the external crate `gemm`, with which the benchmark of the crate `vocabulary` compares its
//! results. This file is in `kernels` because the call is unsafe, and only `kernels` and `storage` may have unsafe code
//! (see ARCHITECTURE.md).

use gemm::Parallelism;

/// Computes the last layer of a masked-language-model head: `logits[r * tokens + t] = transformed[r] · decoder[t]` for
/// all rows r and tokens t. `transformed` is a matrix `[rows, dim]`, `decoder` is `[tokens, dim]`, and `logits` is
/// `[rows, tokens]`, all row-major. More than one thread means threads of Rayon's pool.
pub fn product(transformed: &[f32], decoder: &[f32], logits: &mut [f32], dim: usize, threads: usize) {
    let (rows, tokens) = (transformed.len() / dim, decoder.len() / dim);
    let parallel = if threads == 1 { Parallelism::None } else { Parallelism::Rayon(threads) };
    assert_eq!(logits.len(), rows * tokens);
    // SAFETY: the pointers are valid for `rows × tokens`, `rows × dim` and `tokens × dim` numbers with the given
    // strides.
    #[allow(unsafe_code, reason = "the crate `gemm` has only unsafe functions")]
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
