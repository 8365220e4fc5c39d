//! What the probe knows about a value: [`Fact`].

use std::rc::Rc;

use super::super::graph::Input;
use super::super::tensor::Tensor;

/// What is known about a value.
#[derive(Debug, Clone)]
pub(in crate::onnx) enum Fact {
    /// The value itself.
    Tensor(Known),
    /// The shape only.
    Shape(Vec<usize>),
    /// Nothing.
    Unknown,
}

/// A value that was computed.
#[derive(Debug, Clone)]
pub(in crate::onnx) struct Known {
    /// The value.
    pub tensor: Rc<Tensor>,
    /// The inputs whose values it depends on.
    pub inputs: InputSet,
}

/// A set of inputs of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::onnx) struct InputSet(u8);

impl InputSet {
    /// The set of one input.
    pub fn of(input: Input) -> Self {
        Self(1 << input as u8)
    }

    /// The inputs of both sets.
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set has no input.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all inputs of the set are in `other`.
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

impl Fact {
    /// The shape of the value.
    pub fn shape(&self) -> Option<&[usize]> {
        match self {
            Self::Tensor(known) => Some(&known.tensor.shape),
            Self::Shape(shape) => Some(shape),
            Self::Unknown => None,
        }
    }

    /// Number of values that are stored.
    pub fn element_count(&self) -> usize {
        if let Self::Tensor(known) = self { known.tensor.len() } else { 0 }
    }
}
