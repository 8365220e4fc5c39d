//! Shapes and strides: how tensors are broadcast and viewed.

use super::super::tensor::{Tensor, element_count};

/// Most values of a tensor that the probe computes. The largest ones are transposed weights.
pub(super) const MAX_ELEMENTS: usize = 1 << 23;

/// A view of a row-major tensor: value (i₀, i₁, …) of the view is the value `offset` + Σ iₖ · `strides[k]`.
#[derive(Debug)]
pub(super) struct View {
    /// The sizes of the axes.
    pub shape: Vec<usize>,
    /// The distance between neighbors along each axis.
    pub strides: Vec<isize>,
    /// The position of the first value.
    pub offset: isize,
}

impl View {
    /// The view of all values of a tensor of the shape `of`, in row-major order, as a tensor of another shape. Returns
    /// `None` if the numbers of values differ.
    pub fn reshaped(of: &[usize], shape: Vec<usize>) -> Option<Self> {
        if element_count(of)? != element_count(&shape)? {
            return None;
        }
        let strides = row_major(&shape);
        Some(Self { shape, strides, offset: 0 })
    }

    /// The view of a tensor of the shape `of`, broadcast to another shape.
    pub fn broadcast(of: &[usize], shape: &[usize]) -> Option<Self> {
        let added = shape.len().checked_sub(of.len())?;
        let mut strides = vec![0; added];
        for ((&size, &target), stride) in of.iter().zip(&shape[added..]).zip(row_major(of)) {
            match size {
                _ if size == target => strides.push(stride),
                1 => strides.push(0),
                _ => return None,
            }
        }
        Some(Self { shape: shape.to_vec(), strides, offset: 0 })
    }

    /// The position of each value, in row-major order of the view. Returns `None` if there are too many.
    pub fn indices(&self) -> Option<Vec<usize>> {
        let count = element_count(&self.shape).filter(|&count| count <= MAX_ELEMENTS)?;
        let mut indices = Vec::with_capacity(count);
        let mut coordinates = vec![0; self.shape.len()];
        let mut index = self.offset;
        for _ in 0..count {
            indices.push(usize::try_from(index).ok()?);
            // Advances the coordinates like an odometer.
            for axis in (0..self.shape.len()).rev() {
                coordinates[axis] += 1;
                index = index.wrapping_add(self.strides[axis]);
                if coordinates[axis] < self.shape[axis] {
                    break;
                }
                index = index.wrapping_sub(self.strides[axis].wrapping_mul(self.shape[axis] as isize));
                coordinates[axis] = 0;
            }
        }
        Some(indices)
    }

    /// Copies the values of a view of `tensor`. Returns `None` if there are too many.
    pub fn copy(self, tensor: &Tensor) -> Option<Tensor> {
        let indices = self.indices()?;
        Some(tensor.pick(self.shape, &indices))
    }
}

/// The strides of a row-major tensor.
pub(super) fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut stride = 1isize;
    for (axis, &size) in shape.iter().enumerate().rev() {
        strides[axis] = stride;
        stride = stride.saturating_mul(isize::try_from(size).unwrap_or(isize::MAX));
    }
    strides
}

/// The shape to which two shapes are broadcast.
pub(super) fn broadcast_shape(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let size =
        |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    (0..rank)
        .map(|axis| match (size(a, axis), size(b, axis)) {
            (a, b) if a == b => Some(a),
            (1, b) => Some(b),
            (a, 1) => Some(a),
            _ => None,
        })
        .collect()
}

/// An axis that may be counted from the end.
pub(super) fn axis(axis: i64, rank: usize) -> Option<usize> {
    let rank_signed = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis.checked_add(rank_signed)? } else { axis };
    usize::try_from(axis).ok().filter(|&axis| axis < rank)
}
