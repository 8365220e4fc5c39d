//! Operators that move or repeat values without computing new ones.

use super::super::tensor::{Data, Tensor, element_count};
use super::call::{Call, Outcome, single};
use super::strides::{MAX_ELEMENTS, View, axis, broadcast_shape, row_major};

/// `Reshape`. A target size of 0 stands for the size of the input, one of −1 for what is left.
pub(super) fn reshape(call: &Call) -> Option<Outcome> {
    let shape = call.shape(0)?;
    let target = call.fixed(1)?;
    let keeps_zeros = call.node.int("allowzero") == Some(1);
    let mut sizes = Vec::with_capacity(target.len());
    let mut rest = None;
    for (position, &size) in target.iter().enumerate() {
        sizes.push(match size {
            -1 if rest.is_none() => {
                rest = Some(position);
                1
            }
            0 if !keeps_zeros => *shape.get(position)?,
            size => usize::try_from(size).ok()?,
        });
    }
    if let Some(position) = rest {
        let count = element_count(shape)?;
        sizes[position] = count.checked_div(element_count(&sizes)?)?;
    }
    call.viewed(View::reshaped(shape, sizes)?)
}

/// `Flatten`: the axes before `axis` and those from it on become one axis each.
pub(super) fn flatten(call: &Call) -> Option<Outcome> {
    let shape = call.shape(0)?;
    let split = call.node.int("axis").unwrap_or(1);
    let split = if split < 0 { split.checked_add(shape.len() as i64)? } else { split };
    let split = usize::try_from(split).ok().filter(|&split| split <= shape.len())?;
    let sizes = vec![element_count(&shape[..split])?, element_count(&shape[split..])?];
    call.viewed(View::reshaped(shape, sizes)?)
}

/// `Squeeze`: removes axes of size 1.
pub(super) fn squeeze(call: &Call) -> Option<Outcome> {
    let shape = call.shape(0)?;
    let removed: Vec<usize> = match call.parameter("axes", 1)? {
        Some(axes) => axes.iter().map(|&value| axis(value, shape.len())).collect::<Option<_>>()?,
        None => (0..shape.len()).filter(|&axis| shape[axis] == 1).collect(),
    };
    let kept = (0..shape.len()).filter(|axis| !removed.contains(axis)).map(|axis| shape[axis]).collect();
    call.viewed(View::reshaped(shape, kept)?)
}

/// `Unsqueeze`: inserts axes of size 1.
pub(super) fn unsqueeze(call: &Call) -> Option<Outcome> {
    let shape = call.shape(0)?;
    let axes = call.parameter("axes", 1)??;
    let rank = shape.len().checked_add(axes.len())?;
    let added: Vec<usize> = axes.iter().map(|&value| axis(value, rank)).collect::<Option<_>>()?;
    let mut old = shape.iter();
    let sizes = (0..rank)
        .map(|axis| if added.contains(&axis) { Some(1) } else { old.next().copied() })
        .collect::<Option<Vec<_>>>()?;
    call.viewed(View::reshaped(shape, sizes)?)
}

/// `Transpose`: permutes the axes, by default to the reverse order.
pub(super) fn transpose(call: &Call) -> Option<Outcome> {
    let shape = call.shape(0)?;
    let axes: Vec<usize> = match call.node.ints("perm") {
        Some(axes) => axes.iter().map(|&value| axis(value, shape.len())).collect::<Option<_>>()?,
        None => (0..shape.len()).rev().collect(),
    };
    let is_permutation = axes.len() == shape.len() && (0..shape.len()).all(|axis| axes.contains(&axis));
    let strides = row_major(shape);
    let view = View {
        shape: axes.iter().map(|&axis| shape[axis]).collect(),
        strides: axes.iter().map(|&axis| strides[axis]).collect(),
        offset: 0,
    };
    if is_permutation { call.viewed(view) } else { None }
}

/// `Slice`.
pub(super) fn slice(call: &Call) -> Option<Outcome> {
    let shape = call.shape(0)?;
    let (starts, ends) = (call.parameter("starts", 1)??, call.parameter("ends", 2)??);
    let all_axes: Vec<i64> = (0..starts.len() as i64).collect();
    let axes = call.parameter("axes", 3)?.unwrap_or(&all_axes);
    let ones = vec![1; starts.len()];
    let steps = call.parameter("steps", 4)?.unwrap_or(&ones);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return None;
    }
    let mut view = View { shape: shape.to_vec(), strides: row_major(shape), offset: 0 };
    let full_strides = row_major(shape);
    let mut done = vec![false; shape.len()];
    for (((&start, &end), &value), &step) in starts.iter().zip(ends).zip(axes).zip(steps) {
        let axis = axis(value, shape.len())?;
        if step == 0 || std::mem::replace(&mut done[axis], true) {
            return None;
        }
        let size = i64::try_from(shape[axis]).ok()?;
        // A slice with a negative step may end before the first value, at −1.
        let (min, max) = if step > 0 { (0, size) } else { (-1, size - 1) };
        let clamped = |bound: i64| {
            let bound = if bound < 0 { bound.saturating_add(size) } else { bound };
            bound.clamp(min, max)
        };
        let (start, end) = (clamped(start), clamped(end));
        let distance = if step > 0 { end - start } else { start - end };
        let count = distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs());
        view.shape[axis] = usize::try_from(count).ok()?;
        view.strides[axis] = full_strides[axis].checked_mul(isize::try_from(step).ok()?)?;
        if count > 0 {
            let skipped = full_strides[axis].checked_mul(isize::try_from(start).ok()?)?;
            view.offset = view.offset.checked_add(skipped)?;
        }
    }
    call.viewed(view)
}

/// `Expand`: broadcasts to the broadcast of both shapes.
pub(super) fn expand(call: &Call) -> Option<Outcome> {
    let shape = call.shape(0)?;
    let target: Vec<usize> =
        call.fixed(1)?.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<_>>()?;
    call.viewed(View::broadcast(shape, &broadcast_shape(shape, &target)?)?)
}

/// `Concat`.
pub(super) fn concat(call: &Call) -> Option<Outcome> {
    let mut sizes = call.shape(0)?.to_vec();
    let axis = axis(call.node.int("axis")?, sizes.len())?;
    sizes[axis] = 0;
    for index in 0..call.inputs.len() {
        let shape = call.shape(index)?;
        let is_compatible = shape.len() == sizes.len()
            && (0..sizes.len()).all(|other| other == axis || shape[other] == sizes[other]);
        sizes[axis] = sizes[axis].checked_add(is_compatible.then(|| shape[axis])?)?;
    }
    let Some(tensors) = (0..call.inputs.len()).map(|index| call.tensor(index)).collect::<Option<Vec<_>>>()
    else {
        return Some(Outcome::Shape(sizes));
    };
    let count = element_count(&sizes).filter(|&count| count <= MAX_ELEMENTS)?;
    // Without values, the number of blocks is not bounded by the sizes of the tensors.
    let outer = if count == 0 { 0 } else { element_count(&sizes[..axis])? };
    fn join<T: Copy>(parts: &[&[T]], outer: usize) -> Vec<T> {
        let block = |part: &&[T], number: usize| {
            let size = part.len() / outer.max(1);
            number * size..(number + 1) * size
        };
        (0..outer)
            .flat_map(|number| parts.iter().flat_map(move |part| part[block(part, number)].iter().copied()))
            .collect()
    }
    let data = match &tensors.first()?.data {
        Data::I64(_) => {
            let parts = tensors.iter().map(|tensor| tensor.ints()).collect::<Option<Vec<_>>>()?;
            Data::I64(join(&parts, outer))
        }
        Data::F32(_) => {
            let parts = tensors.iter().map(|tensor| tensor.floats()).collect::<Option<Vec<_>>>()?;
            Data::F32(join(&parts, outer))
        }
        _ => return None,
    };
    Some(call.computed(Tensor { shape: sizes, data }))
}

/// `Split`: parts along an axis, of the given sizes or of the same size.
pub(super) fn split(call: &Call) -> Option<Vec<Outcome>> {
    let shape = call.shape(0)?;
    let axis = axis(call.node.int("axis").unwrap_or(0), shape.len())?;
    let parts = call.node.outputs.len();
    let sizes: Vec<usize> = match call.parameter("split", 1)? {
        Some(sizes) => sizes.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<_>>()?,
        None => {
            // The last part is smaller if the size is no multiple.
            let size = shape[axis].div_ceil(parts.max(1));
            (0..parts).map(|part| size.min(shape[axis].saturating_sub(part * size))).collect()
        }
    };
    let total = sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size))?;
    if sizes.len() != parts || total != shape[axis] {
        return None;
    }
    let strides = row_major(shape);
    let mut start = 0;
    let mut outcomes = Vec::with_capacity(parts);
    for size in sizes {
        let mut part = shape.to_vec();
        part[axis] = size;
        let offset = strides[axis].checked_mul(isize::try_from(start).ok()?)?;
        outcomes.push(call.viewed(View { shape: part, strides: strides.clone(), offset })?);
        start += size;
    }
    Some(outcomes)
}

/// `Range` of integers.
pub(super) fn range(call: &Call) -> Option<Outcome> {
    let bound = |index| call.fixed(index).filter(|values| values.len() == 1).map(|values| values[0]);
    let (start, limit, step) = (bound(0)?, bound(1)?, bound(2)?);
    let distance = i128::from(limit) - i128::from(start);
    let step = i128::from(step);
    let count = if step == 0 { None } else { Some((distance + step - step.signum()) / step) }?;
    let count = usize::try_from(count.max(0)).ok().filter(|&count| count <= MAX_ELEMENTS)?;
    let values = (0..count).map(|number| (i128::from(start) + number as i128 * step) as i64).collect();
    Some(call.computed(Tensor::integers(values)))
}

/// `ConstantOfShape`.
pub(super) fn constant_of_shape(call: &Call) -> Option<Outcome> {
    let shape: Vec<usize> =
        call.fixed(0)?.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<_>>()?;
    let count = element_count(&shape).filter(|&count| count <= MAX_ELEMENTS)?;
    let zero = Tensor { shape: vec![1], data: Data::F32(vec![0.0]) };
    let value = call.node.tensor("value").map_or(&zero, |tensor| tensor);
    if value.len() != 1 {
        return None;
    }
    Some(call.computed(value.pick(shape, &vec![0; count])))
}

/// `Trilu`: the upper or lower triangle of matrices.
pub(super) fn trilu(call: &Call) -> Option<Outcome> {
    let tensor = call.tensor(0)?;
    let &[.., rows, columns] = tensor.shape.as_slice() else { return None };
    let diagonal = if call.has(1) { single(call.tensor(1)?)? } else { 0 };
    let is_upper = call.node.int("upper").unwrap_or(1) != 0;
    let is_kept = |index: usize| {
        let (row, column) = ((index / columns % rows) as i64, (index % columns) as i64);
        let edge = row.saturating_add(diagonal);
        if is_upper { column >= edge } else { column <= edge }
    };
    fn keep<T: Copy + Default>(values: &[T], is_kept: impl Fn(usize) -> bool) -> Vec<T> {
        values.iter().enumerate().map(|(i, &value)| if is_kept(i) { value } else { T::default() }).collect()
    }
    let data = match &tensor.data {
        Data::F32(values) => Data::F32(keep(values, is_kept)),
        Data::I64(values) => Data::I64(keep(values, is_kept)),
        Data::Bool(values) => Data::Bool(keep(values, is_kept)),
        _ => return None,
    };
    Some(call.computed(Tensor { shape: tensor.shape.clone(), data }))
}
