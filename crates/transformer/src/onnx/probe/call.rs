//! The application of an operator to what is known about its inputs: [`Call`].

use std::rc::Rc;

use super::super::node::Node;
use super::super::tensor::{Data, Tensor};
use super::facts::{Fact, InputSet, Known};
use super::strides::View;

/// A node, and what is known about its inputs.
pub(super) struct Call<'a> {
    /// The node.
    pub node: &'a Node,
    /// What is known about each input. Optional inputs may be missing.
    pub inputs: Vec<Option<&'a Fact>>,
}

/// What a call finds out about an output.
pub(super) enum Outcome {
    /// The value.
    Tensor(Known),
    /// The shape only.
    Shape(Vec<usize>),
}

impl From<Outcome> for Fact {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Tensor(known) => Self::Tensor(known),
            Outcome::Shape(shape) => Self::Shape(shape),
        }
    }
}

impl Call<'_> {
    /// What is known about an input.
    pub fn fact(&self, index: usize) -> Option<&Fact> {
        self.inputs.get(index).copied().flatten()
    }

    /// The value of an input.
    pub fn tensor(&self, index: usize) -> Option<&Tensor> {
        if let Some(Fact::Tensor(known)) = self.fact(index) { Some(&known.tensor) } else { None }
    }

    /// The shape of an input.
    pub fn shape(&self, index: usize) -> Option<&[usize]> {
        self.fact(index)?.shape()
    }

    /// Whether an input was passed.
    pub fn has(&self, index: usize) -> bool {
        self.node.input(index).is_some()
    }

    /// The integers of an input that determines a shape, and therefore must not depend on the values of the inputs of
    /// the model.
    pub fn fixed(&self, index: usize) -> Option<&[i64]> {
        match self.fact(index)? {
            Fact::Tensor(known) if known.inputs.is_empty() => known.tensor.ints(),
            _ => None,
        }
    }

    /// The integers of a parameter that is an attribute in old versions of an operator and an input in new ones. The
    /// outer `None` stands for a parameter that is unknown, the inner one for one that is missing.
    pub fn parameter(&self, attribute: &str, input: usize) -> Option<Option<&[i64]>> {
        match self.node.ints(attribute) {
            Some(values) => Some(Some(values)),
            None if self.has(input) => Some(Some(self.fixed(input)?)),
            None => Some(None),
        }
    }

    /// A tensor that was computed from all inputs.
    pub fn computed(&self, tensor: Tensor) -> Outcome {
        let inputs = self.inputs.iter().flatten().fold(InputSet::default(), |set, fact| match fact {
            Fact::Tensor(known) => set.union(known.inputs),
            _ => set,
        });
        Outcome::Tensor(Known { tensor: Rc::new(tensor), inputs })
    }

    /// A tensor that was computed from one input.
    pub fn computed_from(&self, index: usize, tensor: Tensor) -> Outcome {
        let inputs = match self.fact(index) {
            Some(Fact::Tensor(known)) => known.inputs,
            _ => InputSet::default(),
        };
        Outcome::Tensor(Known { tensor: Rc::new(tensor), inputs })
    }

    /// A view of the first input.
    pub fn viewed(&self, view: View) -> Option<Outcome> {
        Some(match self.tensor(0) {
            Some(tensor) => self.computed(view.copy(tensor)?),
            None => Outcome::Shape(view.shape),
        })
    }

    /// The operator `Shape`.
    pub fn shape_of(&self) -> Option<Outcome> {
        let shape = self.shape(0)?;
        let rank = shape.len() as i64;
        let bound = |name: &str, default: i64| {
            let bound = self.node.int(name).unwrap_or(default);
            let bound = if bound < 0 { bound.saturating_add(rank) } else { bound };
            bound.clamp(0, rank) as usize
        };
        let sizes = shape.get(bound("start", 0)..bound("end", rank)).unwrap_or_default();
        let tensor = Tensor::integers(sizes.iter().map(|&size| size as i64).collect());
        Some(Outcome::Tensor(Known { tensor: Rc::new(tensor), inputs: InputSet::default() }))
    }
}

/// The only value of a tensor of integers.
pub(super) fn single(tensor: &Tensor) -> Option<i64> {
    match &tensor.data {
        Data::I64(values) if values.len() == 1 => Some(values[0]),
        _ => None,
    }
}
