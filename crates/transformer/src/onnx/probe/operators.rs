//! The choice of the function that applies an operator: [`run`].

use super::call::{Call, Outcome};
use super::{elementwise, gather, movement, reduction, shapes};

/// Applies the operator. Returns `None` if the operator is not supported, or if too little is known about its
/// inputs.
pub(super) fn run(call: &Call) -> Option<Vec<Outcome>> {
    let outcome = match call.node.op.as_str() {
        "Split" => return movement::split(call),
        "DynamicQuantizeLinear" => return shapes::dynamic_quantize(call),
        "Shape" => call.shape_of()?,
        "Reshape" => movement::reshape(call)?,
        "Flatten" => movement::flatten(call)?,
        "Squeeze" => movement::squeeze(call)?,
        "Unsqueeze" => movement::unsqueeze(call)?,
        "Transpose" => movement::transpose(call)?,
        "Slice" => movement::slice(call)?,
        "Expand" => movement::expand(call)?,
        "Gather" => gather::gather(call)?,
        "GatherElements" => gather::gather_elements(call)?,
        "GatherND" => gather::gather_blocks(call)?,
        "Concat" => movement::concat(call)?,
        "Range" => movement::range(call)?,
        "ConstantOfShape" => movement::constant_of_shape(call)?,
        "Trilu" => movement::trilu(call)?,
        "CumSum" => reduction::cumulative_sum(call)?,
        "ReduceSum" | "ReduceMax" | "ReduceMin" | "ReduceMean" => reduction::reduce(call)?,
        "Cast" | "Not" | "Neg" | "Sqrt" | "Log" | "Abs" | "Reciprocal" => elementwise::unary(call)?,
        "Where" => elementwise::choose(call)?,
        "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Max" | "Min" | "Equal" | "Greater" | "GreaterOrEqual"
        | "Less" | "LessOrEqual" | "And" | "Or" => elementwise::binary(call)?,
        _ => shapes::infer(call)?,
    };
    Some(vec![outcome])
}
