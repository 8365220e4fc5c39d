//! Operators on each value, or on pairs of values of tensors that are broadcast to the same shape.

use super::super::tensor::{Data, Tensor, element_count};
use super::call::{Call, Outcome};
use super::strides::{MAX_ELEMENTS, View, broadcast_shape};

/// `Cast`, `Not`, `Neg`, `Sqrt`, `Log`, `Abs` and `Reciprocal`.
pub(super) fn unary(call: &Call) -> Option<Outcome> {
    let Some(tensor) = call.tensor(0) else {
        return Some(Outcome::Shape(call.shape(0)?.to_vec()));
    };
    if tensor.len() > MAX_ELEMENTS {
        return None;
    }
    let map = |f: fn(f32) -> f32| Some(Data::F32(tensor.floats()?.iter().map(|&value| f(value)).collect()));
    let data = match call.node.op.as_str() {
        "Cast" => cast(&tensor.data, call.node.int("to")?),
        "Not" => Some(Data::Bool(tensor.bools()?.iter().map(|&value| !value).collect())),
        "Sqrt" => map(f32::sqrt),
        "Log" => map(f32::ln),
        "Reciprocal" => map(f32::recip),
        "Abs" => match &tensor.data {
            Data::I64(values) => Some(Data::I64(values.iter().map(|value| value.wrapping_abs()).collect())),
            _ => map(f32::abs),
        },
        _ => match &tensor.data {
            Data::I64(values) => Some(Data::I64(values.iter().map(|value| value.wrapping_neg()).collect())),
            _ => map(|value| -value),
        },
    };
    Some(call.computed(Tensor { shape: tensor.shape.clone(), data: data? }))
}

/// Converts values to the type with a number of [`DataType`](crate::onnx::format::DataType).
fn cast(data: &Data, to: i64) -> Option<Data> {
    // 64-bit floats hold all values exactly but integers above 2⁵³, which no shape or mask has.
    let values: Vec<f64> = match data {
        Data::F32(values) => values.iter().map(|&value| value.into()).collect(),
        Data::I64(values) if matches!(to, 6 | 7) => return Some(Data::I64(values.clone())),
        Data::I64(values) => values.iter().map(|&value| value as f64).collect(),
        Data::U8(values) => values.iter().map(|&value| value.into()).collect(),
        Data::I8(values) => values.iter().map(|&value| value.into()).collect(),
        Data::Bool(values) => values.iter().map(|&value| value.into()).collect(),
    };
    let values = values.into_iter();
    match to {
        1 | 11 => Some(Data::F32(values.map(|value| value as f32).collect())),
        6 | 7 => Some(Data::I64(values.map(|value| value as i64).collect())),
        9 => Some(Data::Bool(values.map(|value| value != 0.0).collect())),
        _ => None,
    }
}

/// `Where`.
pub(super) fn choose(call: &Call) -> Option<Outcome> {
    let shape = broadcast_shape(call.shape(0)?, call.shape(1)?)?;
    let shape = broadcast_shape(&shape, call.shape(2)?)?;
    let (Some(condition), Some(a), Some(b)) = (call.tensor(0), call.tensor(1), call.tensor(2)) else {
        return Some(Outcome::Shape(shape));
    };
    let condition = View::broadcast(&condition.shape, &shape)?.copy(condition)?;
    let (a, b) = (View::broadcast(&a.shape, &shape)?.copy(a)?, View::broadcast(&b.shape, &shape)?.copy(b)?);
    fn pick<T: Copy>(condition: &[bool], a: &[T], b: &[T]) -> Vec<T> {
        condition.iter().zip(a.iter().zip(b)).map(|(&is_a, (&a, &b))| if is_a { a } else { b }).collect()
    }
    let condition = condition.bools()?;
    let data = match (&a.data, &b.data) {
        (Data::F32(a), Data::F32(b)) => Data::F32(pick(condition, a, b)),
        (Data::I64(a), Data::I64(b)) => Data::I64(pick(condition, a, b)),
        (Data::Bool(a), Data::Bool(b)) => Data::Bool(pick(condition, a, b)),
        _ => return None,
    };
    Some(call.computed(Tensor { shape, data }))
}

/// Arithmetic, comparisons and logic. `Max` and `Min` take any number of inputs.
pub(super) fn binary(call: &Call) -> Option<Outcome> {
    let mut shape = call.shape(0)?.to_vec();
    for index in 1..call.inputs.len() {
        shape = broadcast_shape(&shape, call.shape(index)?)?;
    }
    let Some(tensors) = (0..call.inputs.len()).map(|index| call.tensor(index)).collect::<Option<Vec<_>>>()
    else {
        return Some(Outcome::Shape(shape));
    };
    let (first, others) = tensors.split_first()?;
    let mut result = (*first).clone();
    for other in others {
        result = combine(&call.node.op, &result, other)?;
    }
    Some(call.computed(result))
}

/// Applies an operator to the pairs of values of two tensors.
fn combine(op: &str, a: &Tensor, b: &Tensor) -> Option<Tensor> {
    let shape = broadcast_shape(&a.shape, &b.shape)?;
    element_count(&shape).filter(|&count| count <= MAX_ELEMENTS)?;
    let expand = |tensor: &Tensor| View::broadcast(&tensor.shape, &shape)?.copy(tensor);
    let (a, b) = (expand(a)?, expand(b)?);
    let data = match (&a.data, &b.data) {
        (Data::F32(a), Data::F32(b)) => combine_floats(op, a, b)?,
        (Data::F32(a), Data::I64(b)) if op == "Pow" => Data::F32(pairs(a, b, |a, b| power(a, b as f32))),
        (Data::I64(a), Data::I64(b)) => combine_integers(op, a, b)?,
        (Data::Bool(a), Data::Bool(b)) => Data::Bool(match op {
            "And" => pairs(a, b, |a, b| a & b),
            "Or" => pairs(a, b, |a, b| a | b),
            "Equal" => pairs(a, b, |a, b| a == b),
            _ => return None,
        }),
        _ => return None,
    };
    Some(Tensor { shape, data })
}

/// aᵇ. The usual exponents do not need the platform's math library, whose last bits differ.
fn power(a: f32, b: f32) -> f32 {
    if b == 2.0 {
        a * a
    } else if b == 0.5 {
        a.sqrt()
    } else if b == -0.5 {
        1.0 / a.sqrt()
    } else if b == 1.0 {
        a
    } else if b == -1.0 {
        1.0 / a
    } else {
        a.powf(b)
    }
}

fn combine_floats(op: &str, a: &[f32], b: &[f32]) -> Option<Data> {
    Some(match op {
        "Add" => Data::F32(pairs(a, b, |a, b| a + b)),
        "Sub" => Data::F32(pairs(a, b, |a, b| a - b)),
        "Mul" => Data::F32(pairs(a, b, |a, b| a * b)),
        "Div" => Data::F32(pairs(a, b, |a, b| a / b)),
        "Pow" => Data::F32(pairs(a, b, power)),
        "Max" => Data::F32(pairs(a, b, f32::max)),
        "Min" => Data::F32(pairs(a, b, f32::min)),
        _ => Data::Bool(compare(op, a, b)?),
    })
}

fn combine_integers(op: &str, a: &[i64], b: &[i64]) -> Option<Data> {
    Some(match op {
        "Add" => Data::I64(pairs(a, b, i64::wrapping_add)),
        "Sub" => Data::I64(pairs(a, b, i64::wrapping_sub)),
        "Mul" => Data::I64(pairs(a, b, i64::wrapping_mul)),
        "Div" if b.contains(&0) => return None,
        "Div" => Data::I64(pairs(a, b, i64::wrapping_div)),
        "Max" => Data::I64(pairs(a, b, i64::max)),
        "Min" => Data::I64(pairs(a, b, i64::min)),
        _ => Data::Bool(compare(op, a, b)?),
    })
}

fn compare<T: PartialOrd + Copy>(op: &str, a: &[T], b: &[T]) -> Option<Vec<bool>> {
    Some(match op {
        "Equal" => pairs(a, b, |a, b| a == b),
        "Greater" => pairs(a, b, |a, b| a > b),
        "GreaterOrEqual" => pairs(a, b, |a, b| a >= b),
        "Less" => pairs(a, b, |a, b| a < b),
        "LessOrEqual" => pairs(a, b, |a, b| a <= b),
        _ => return None,
    })
}

fn pairs<A: Copy, B: Copy, T>(a: &[A], b: &[B], f: impl Fn(A, B) -> T) -> Vec<T> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}
