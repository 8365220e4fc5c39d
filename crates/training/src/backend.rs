//! [`Backend`]: where the products of linear layers are computed, and in which precision.

use std::fmt::Debug;

use kernels::matrix::{self, Bf16Kernels, Matrix};

/// Computes the products of the linear layers inside the layers of a network: those of the queries, keys and values, of
/// the outputs of the attention, and of the feed-forward network. [`Cpu`] and [`Bf16Cpu`] are the implementations here;
/// a caller can provide one for another device, such as a GPU.
///
/// All other operations stay on the CPU: the products of the attention, one per head and text, and those of a reader's
/// heads, which have one or two columns, are too small to be worth a transfer.
pub trait Backend: Debug + Send + Sync {
    /// Writes the product of two matrices to `out`, row-major and contiguous. If `accumulates`, the product is added to
    /// the values of `out` instead of replacing them.
    ///
    /// Callers ensure that `a` has as many columns as `b` has rows, and that `out` has one value for each row of `a` and
    /// column of `b`. Either operand can be transposed; one stride of each is 1, as BLAS requires. The operands are in
    /// the memory of the CPU, and the weights among them change in every step.
    ///
    /// Several threads call this function at the same time. There is no error: if a device fails, compute the product
    /// with [`Cpu`], before `out` is changed.
    fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], accumulates: bool);
}

/// Computes products on the calling thread, with [`kernels::matrix::multiply`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu;

impl Backend for Cpu {
    fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], accumulates: bool) {
        matrix::multiply(a, b, out, b.columns(), accumulates);
    }
}

/// Computes products on the calling thread, with operands that are rounded to bfloat16 and sums in `f32`:
/// [`Bf16Kernels`]. Parameters, gradients and activations stay in `f32`.
#[derive(Debug, Clone, Copy)]
pub struct Bf16Cpu(&'static Bf16Kernels);

impl Bf16Cpu {
    /// Returns `None` if the running CPU has no instructions for bfloat16; see [`Bf16Kernels::detect`].
    #[must_use]
    pub fn detect() -> Option<Self> {
        Bf16Kernels::detect().map(Self)
    }
}

impl Backend for Bf16Cpu {
    fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], accumulates: bool) {
        self.0.multiply(a, b, out, b.columns(), accumulates);
    }
}
