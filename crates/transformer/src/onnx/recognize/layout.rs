//! The order of values after nodes that reshape and transpose: [`Layout`].
//!
//! Exporters split hidden states into attention heads with different sequences of `Reshape` and `Transpose`. Instead of
//! matching the sequences, a layout tracks where each value comes from. Each axis of a tensor is a list of factors, and
//! a factor is a range of steps through the original values:
//!
//! ```text
//! hidden states [2, L, 384]           [(2, 384·L)] [(L, 384)] [(384, 1)]
//! Reshape to    [2, L, 12, 32]        [(2, 384·L)] [(L, 384)] [(12, 32)] [(32, 1)]
//! Transpose to  [2, 12, L, 32]        [(2, 384·L)] [(12, 32)] [(L, 384)] [(32, 1)]
//! ```

use super::super::node::Node;

/// Where the values of a tensor come from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    /// The factors of each axis, outermost first. Factors of size 1 are left out.
    axes: Vec<Vec<Factor>>,
}

/// A number of steps of equal length.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Factor {
    size: usize,
    stride: usize,
}

impl Layout {
    /// The layout of a tensor with the given size and stride of each axis.
    pub fn new(axes: &[(usize, usize)]) -> Self {
        let factors = |&(size, stride): &(usize, usize)| {
            if size == 1 { Vec::new() } else { vec![Factor { size, stride }] }
        };
        Self { axes: axes.iter().map(factors).collect() }
    }

    /// The layout of the original values, row-major.
    pub fn row_major(shape: &[usize]) -> Self {
        // A shape with more values than fit into memory has no right layout; it is refused when layouts are compared.
        let stride =
            |axis: usize| shape[axis + 1..].iter().fold(1usize, |stride, &size| stride.saturating_mul(size));
        let axes: Vec<_> = shape.iter().enumerate().map(|(axis, &size)| (size, stride(axis))).collect();
        Self::new(&axes)
    }

    /// The layout after a node that changes the shape, or that permutes the axes (`Transpose`). Returns `None` if the
    /// new axes are no products of parts of the old ones.
    pub fn after(&self, node: &Node, shape: &[usize]) -> Option<Self> {
        if node.op == "Transpose" { self.permuted(node.ints("perm")) } else { self.reshaped(shape) }
    }

    /// The layout with the axes in another order, by default the reverse one.
    fn permuted(&self, order: Option<&[i64]>) -> Option<Self> {
        let Some(order) = order else {
            return Some(Self { axes: self.axes.iter().rev().cloned().collect() });
        };
        let rank = self.axes.len() as i64;
        let axis = |&axis: &i64| {
            let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
            self.axes.get(usize::try_from(axis).ok()?).cloned()
        };
        Some(Self { axes: order.iter().map(axis).collect::<Option<_>>()? })
    }

    /// The layout with the same values in the same order in another shape.
    fn reshaped(&self, shape: &[usize]) -> Option<Self> {
        let mut factors = self.axes.iter().flatten().copied();
        let mut rest = Factor { size: 1, stride: 0 };
        let mut axes = Vec::with_capacity(shape.len());
        for &size in shape {
            let mut axis = Vec::new();
            let mut left = size;
            while left != 1 {
                if rest.size == 1 {
                    rest = factors.next()?;
                }
                // Takes the outer part of a factor that is larger than what is left.
                let taken = left.min(rest.size);
                if taken == 0 || !left.is_multiple_of(taken) || !rest.size.is_multiple_of(taken) {
                    return None;
                }
                rest.size /= taken;
                axis.push(Factor { size: taken, stride: rest.stride * rest.size });
                left /= taken;
            }
            axes.push(merged(axis));
        }
        (rest.size == 1 && factors.next().is_none()).then_some(Self { axes })
    }

    /// Whether the values are in the original order, with rows of the given size along the last axis.
    pub fn is_row_major(&self, row_size: usize) -> bool {
        let row = Factor { size: row_size, stride: 1 };
        let all = merged(self.axes.iter().flatten().copied().collect());
        matches!(all.as_slice(), [Factor { stride: 1, .. }])
            && self.axes.last().is_some_and(|last| last.as_slice() == [row])
    }
}

/// Merges neighbors that are one range of steps.
fn merged(factors: Vec<Factor>) -> Vec<Factor> {
    let mut merged: Vec<Factor> = Vec::with_capacity(factors.len());
    for factor in factors {
        match merged.last_mut() {
            Some(last) if last.stride == factor.size * factor.stride => {
                *last = Factor { size: last.size * factor.size, stride: factor.stride };
            }
            _ => merged.push(factor),
        }
    }
    merged
}
