//! Operators that look up values by their numbers.

use super::super::tensor::{Data, Tensor, element_count};
use super::call::{Call, Outcome};
use super::strides::{MAX_ELEMENTS, axis, row_major};

/// `Gather`: the slices of the first input along an axis that the second input numbers. The rows of embedding tables
/// are activations, so only their shape is inferred.
pub(super) fn gather(call: &Call) -> Option<Outcome> {
    let (shape, index_shape) = (call.shape(0)?, call.shape(1)?);
    let axis = axis(call.node.int("axis").unwrap_or(0), shape.len())?;
    let sizes = [&shape[..axis], index_shape, &shape[axis + 1..]].concat();
    let (Some(tensor), Some(indices)) = (call.tensor(0), call.tensor(1)) else {
        return Some(Outcome::Shape(sizes));
    };
    if shape.len() == 2 && axis == 0 && matches!(tensor.data, Data::F32(_) | Data::U8(_) | Data::I8(_)) {
        return Some(Outcome::Shape(sizes));
    }
    let count = element_count(&sizes).filter(|&count| count <= MAX_ELEMENTS)?;
    let size = shape[axis];
    let numbers: Vec<usize> =
        indices.ints()?.iter().map(|&number| in_range(number, size)).collect::<Option<_>>()?;
    let inner = element_count(&shape[axis + 1..])?;
    // Without values, the number of blocks is not bounded by the size of the tensor.
    let outer = if count == 0 { 0 } else { element_count(&shape[..axis])? };
    let mut positions = Vec::with_capacity(count);
    for block in 0..outer {
        for &number in &numbers {
            let first = (block * size + number) * inner;
            positions.extend(first..first + inner);
        }
    }
    Some(call.computed(tensor.pick(sizes, &positions)))
}

/// `GatherElements`: the second input numbers, for each value of the result, the value of the first input with the same
/// coordinates on all axes but one.
pub(super) fn gather_elements(call: &Call) -> Option<Outcome> {
    let (tensor, indices) = (call.tensor(0)?, call.tensor(1)?);
    let axis = axis(call.node.int("axis").unwrap_or(0), tensor.shape.len())?;
    let fits = |(other, (&size, &limit)): (usize, (&usize, &usize))| other == axis || size <= limit;
    if indices.shape.len() != tensor.shape.len()
        || !indices.shape.iter().zip(&tensor.shape).enumerate().all(fits)
    {
        return None;
    }
    let strides = row_major(&indices.shape);
    let numbers = indices.ints().filter(|numbers| numbers.len() <= MAX_ELEMENTS)?;
    let mut positions = Vec::with_capacity(numbers.len());
    for (i, &number) in numbers.iter().enumerate() {
        let mut position = 0;
        for (other, (&size, &limit)) in indices.shape.iter().zip(&tensor.shape).enumerate() {
            let coordinate = i / usize::try_from(strides[other]).ok()? % size;
            position = position * limit + if other == axis { in_range(number, limit)? } else { coordinate };
        }
        positions.push(position);
    }
    let result = tensor.pick(indices.shape.clone(), &positions);
    // RoBERTa looks up token types, which are all 0, by positions. These have no influence on the result.
    Some(if is_uniform(tensor) { call.computed_from(0, result) } else { call.computed(result) })
}

/// `GatherND` without axes of a batch: the last axis of the second input has the coordinates of values, or of blocks of
/// values, of the first input.
pub(super) fn gather_blocks(call: &Call) -> Option<Outcome> {
    let (tensor, indices) = (call.tensor(0)?, call.tensor(1)?);
    if call.node.int("batch_dims").unwrap_or(0) != 0 {
        return None;
    }
    let (&coordinates, outer) = indices.shape.split_last()?;
    if coordinates == 0 || coordinates > tensor.shape.len() {
        return None;
    }
    let sizes = [outer, &tensor.shape[coordinates..]].concat();
    let count = element_count(&sizes).filter(|&count| count <= MAX_ELEMENTS)?;
    let inner = element_count(&tensor.shape[coordinates..])?;
    let mut positions = Vec::with_capacity(count);
    for numbers in indices.ints()?.chunks_exact(coordinates) {
        let mut block = 0;
        for (&number, &size) in numbers.iter().zip(&tensor.shape) {
            block = block * size + in_range(number, size)?;
        }
        positions.extend(block * inner..(block + 1) * inner);
    }
    Some(call.computed(tensor.pick(sizes, &positions)))
}

/// A number of a value on an axis, which may be counted from the end.
fn in_range(number: i64, size: usize) -> Option<usize> {
    let number = if number < 0 { number.checked_add(i64::try_from(size).ok()?)? } else { number };
    usize::try_from(number).ok().filter(|&number| number < size)
}

/// Whether all values are equal.
fn is_uniform(tensor: &Tensor) -> bool {
    fn all_equal<T: PartialEq>(values: &[T]) -> bool {
        values.windows(2).all(|pair| pair[0] == pair[1])
    }
    match &tensor.data {
        Data::F32(values) => all_equal(values),
        Data::I64(values) => all_equal(values),
        Data::U8(values) => all_equal(values),
        Data::I8(values) => all_equal(values),
        Data::Bool(values) => all_equal(values),
    }
}
