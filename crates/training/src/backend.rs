//! [`Backend`]: where the products of linear layers are computed.

use std::fmt::Debug;

use kernels::matrix::{self, Matrix};

/// Computes the products of the linear layers of a network: about nine tenths of the arithmetic of a step. [`Cpu`] is the default.
/// Another backend can compute them on a GPU, whose library it opens at run time.
///
/// The other operations stay on the CPU: the products of the attention, of which there is one per head and text, and
/// those of a reader's heads, which have one or two columns, are too small to be worth a transfer.
pub trait Backend: Debug + Send + Sync {
    /// Multiplies two matrices. The product is stored in `out`, row-major, without gaps. With `adds`, it is added to the
    /// values that are there.
    ///
    /// Several threads call this at the same time. A backend whose device fails computes the product on the CPU, with
    /// [`Cpu`], so that a step never depends on a device. Training gives the same bits again only if this function does.
    fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], adds: bool);
}

/// Computes products on the calling thread, with [`kernels::matrix::multiply`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu;

impl Backend for Cpu {
    fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], adds: bool) {
        matrix::multiply(a, b, out, b.columns(), adds);
    }
}
