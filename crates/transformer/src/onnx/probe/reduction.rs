//! Operators that combine values along axes.

use super::super::tensor::{Data, Tensor, element_count};
use super::call::{Call, Outcome, single};
use super::strides::{View, axis, row_major};

/// `ReduceSum`, `ReduceMax`, `ReduceMin` and `ReduceMean`. The mean is only computed for floats.
pub(super) fn reduce(call: &Call) -> Option<Outcome> {
    let shape = call.shape(0)?;
    let axes = call.parameter("axes", 1)?.filter(|axes| !axes.is_empty());
    let reduced: Vec<usize> = match axes {
        Some(axes) => axes.iter().map(|&value| axis(value, shape.len())).collect::<Option<_>>()?,
        None if call.node.int("noop_with_empty_axes") == Some(1) => Vec::new(),
        None => (0..shape.len()).collect(),
    };
    let kept: Vec<usize> =
        (0..shape.len()).map(|axis| if reduced.contains(&axis) { 1 } else { shape[axis] }).collect();
    let sizes = if call.node.int("keepdims").unwrap_or(1) != 0 {
        kept.clone()
    } else {
        (0..shape.len()).filter(|axis| !reduced.contains(axis)).map(|axis| shape[axis]).collect()
    };
    let Some(tensor) = call.tensor(0) else { return Some(Outcome::Shape(sizes)) };
    // The result's index for each value of the input.
    let targets = View::broadcast(&kept, shape)?.indices()?;
    let count = element_count(&kept)?;
    if tensor.len() == 0 {
        return None;
    }
    fn fold<T: Copy>(values: &[T], targets: &[usize], count: usize, f: impl Fn(T, T) -> T) -> Option<Vec<T>> {
        let mut results = vec![None; count];
        for (&value, &target) in values.iter().zip(targets) {
            results[target] = Some(results[target].map_or(value, |result| f(result, value)));
        }
        results.into_iter().collect()
    }
    let data = match (&tensor.data, call.node.op.as_str()) {
        (Data::F32(values), "ReduceSum") => Data::F32(fold(values, &targets, count, |a, b| a + b)?),
        (Data::F32(values), "ReduceMax") => Data::F32(fold(values, &targets, count, f32::max)?),
        (Data::F32(values), "ReduceMin") => Data::F32(fold(values, &targets, count, f32::min)?),
        (Data::F32(values), "ReduceMean") => {
            let size = (values.len() / count) as f32;
            let sums = fold(values, &targets, count, |a, b| a + b)?;
            Data::F32(sums.into_iter().map(|sum| sum / size).collect())
        }
        (Data::I64(values), "ReduceSum") => Data::I64(fold(values, &targets, count, i64::wrapping_add)?),
        (Data::I64(values), "ReduceMax") => Data::I64(fold(values, &targets, count, i64::max)?),
        (Data::I64(values), "ReduceMin") => Data::I64(fold(values, &targets, count, i64::min)?),
        _ => return None,
    };
    Some(call.computed(Tensor { shape: sizes, data }))
}

/// `CumSum` that starts at the beginning and includes the value itself.
pub(super) fn cumulative_sum(call: &Call) -> Option<Outcome> {
    let tensor = call.tensor(0)?;
    if call.node.int("exclusive").unwrap_or(0) != 0 || call.node.int("reverse").unwrap_or(0) != 0 {
        return None;
    }
    let axis = axis(single(call.tensor(1)?)?, tensor.shape.len())?;
    let stride = usize::try_from(row_major(&tensor.shape)[axis]).ok()?;
    let size = tensor.shape[axis];
    fn sum<T: Copy>(values: &[T], stride: usize, size: usize, add: impl Fn(T, T) -> T) -> Vec<T> {
        let mut sums = values.to_vec();
        for i in 0..sums.len() {
            if !(i / stride).is_multiple_of(size) {
                sums[i] = add(sums[i - stride], sums[i]);
            }
        }
        sums
    }
    let data = match &tensor.data {
        Data::F32(values) => Data::F32(sum(values, stride, size, |a, b| a + b)),
        Data::I64(values) => Data::I64(sum(values, stride, size, i64::wrapping_add)),
        _ => return None,
    };
    Some(call.computed(Tensor { shape: tensor.shape.clone(), data }))
}
