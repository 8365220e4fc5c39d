//! Runs the part of a graph that does not depend on the values of activations: [`Probe`].
//!
//! Exporters write the computation of shapes, positions and masks in many ways. The probe does not match them. It runs
//! them for one batch of inputs, so that their results can be compared with those of a BERT. The batch has two texts.
//! The second is half as long as the first and padded to its length.
//!
//! Of activations, that is, of all that is computed from rows of embedding tables, only the shapes are inferred.

mod call;
mod elementwise;
mod facts;
mod gather;
mod movement;
mod operators;
mod reduction;
mod shapes;
mod strides;

use std::rc::Rc;

use call::Call;
pub(super) use facts::{Fact, InputSet, Known};

use super::error::Unrecognized;
use super::graph::{Graph, Input, Source, ValueId};
use super::tensor::{Data, Tensor};

/// Number of texts in the batch.
pub(super) const BATCH: usize = 2;
/// The greatest length of the first text, in tokens. It is greater than common widths of windows of attention, and no
/// size that an exporter is likely to have written into a graph.
const MAX_LENGTH: usize = 299;
/// The length is shorter than the table of positions by this number, since RoBERTa does not use its first rows.
const MAX_FIRST_POSITION: usize = 8;
/// The ids of tokens begin here. Smaller ones may have a meaning, such as padding.
const FIRST_TOKEN: usize = 5;
/// Number of values that the probe may read and compute in addition to four times the number of constants in the file.
/// This bounds its time and memory for graphs that expand values again and again.
const ELEMENT_BUDGET: usize = 1 << 27;

/// What is known about the values of a graph for one batch of inputs.
#[derive(Debug)]
pub(super) struct Probe {
    /// Length of the texts, with padding.
    pub length: usize,
    facts: Vec<Fact>,
}

impl Probe {
    /// Runs a graph.
    ///
    /// # Errors
    ///
    /// If no node looks up the rows of a table by `input_ids`.
    pub fn run(graph: &Graph, length: Option<usize>) -> Result<Self, Unrecognized> {
        let (word_rows, default_length) = sizes(graph)?;
        let length = length.unwrap_or(default_length);
        let mut constant_elements = 0usize;
        let mut facts = vec![Fact::Unknown; graph.value_count()];
        for (value, source) in graph.sources() {
            let known = match source {
                Source::Constant(tensor) => {
                    constant_elements = constant_elements.saturating_add(tensor.len());
                    Known { tensor: Rc::clone(tensor), inputs: InputSet::default() }
                }
                Source::Input(input) => Known {
                    tensor: Rc::new(input_tensor(*input, word_rows, length)),
                    inputs: InputSet::of(*input),
                },
                Source::OtherConstant | Source::Node { .. } => continue,
            };
            facts[value.index()] = Fact::Tensor(known);
        }
        let mut budget = ELEMENT_BUDGET.saturating_add(constant_elements.saturating_mul(4));
        for node in &graph.nodes {
            let inputs: Vec<_> =
                node.inputs.iter().map(|input| input.map(|value| &facts[value.index()])).collect();
            let read = inputs.iter().flatten().map(|fact| fact.element_count()).sum::<usize>();
            let outcomes = operators::run(&Call { node, inputs }).unwrap_or_default();
            let new: Vec<Fact> = outcomes.into_iter().map(Fact::from).collect();
            let computed = new.iter().map(Fact::element_count).sum::<usize>();
            // What is left unknown makes the recognition refuse the graph, if it needs that.
            let Some(rest) = budget.checked_sub(read.saturating_add(computed)) else { break };
            budget = rest;
            for (&value, fact) in node.outputs.iter().zip(new) {
                facts[value.index()] = fact;
            }
        }
        Ok(Self { length, facts })
    }

    /// What is known about a value.
    pub fn fact(&self, value: ValueId) -> &Fact {
        &self.facts[value.index()]
    }

    /// The shape of a value.
    pub fn shape(&self, value: ValueId) -> Option<&[usize]> {
        self.fact(value).shape()
    }

    /// A value that was computed.
    pub fn known(&self, value: ValueId) -> Option<&Known> {
        if let Fact::Tensor(known) = self.fact(value) { Some(known) } else { None }
    }

    /// A value that does not depend on the values of the inputs.
    pub fn constant(&self, value: ValueId) -> Option<&Tensor> {
        self.known(value).filter(|known| known.inputs.is_empty()).map(|known| &*known.tensor)
    }

    /// Whether the token at a position of a text is padding.
    pub fn is_padding(&self, text: usize, position: usize) -> bool {
        is_padding(self.length, text, position)
    }
}

/// Whether the token at a position of a text of the batch is padding.
fn is_padding(length: usize, text: usize, position: usize) -> bool {
    text == 1 && position >= length / 2
}

/// The value of an input of the model. The ids of tokens differ from each other if the table has enough rows.
fn input_tensor(input: Input, word_rows: usize, length: usize) -> Tensor {
    let value = |text: usize, position: usize| {
        let is_padding = is_padding(length, text, position);
        match input {
            Input::Mask => i64::from(!is_padding),
            _ if is_padding => 0,
            Input::Ids => {
                let number = text * length + position;
                let first = if word_rows > FIRST_TOKEN { FIRST_TOKEN } else { 0 };
                (first + number % (word_rows - first)) as i64
            }
            Input::Types => (position % 2) as i64,
        }
    };
    let data = (0..BATCH)
        .flat_map(|text| (0..length).map(move |position| (text, position)))
        .map(|(t, p)| value(t, p));
    Tensor { shape: vec![BATCH, length], data: Data::I64(data.collect()) }
}

/// Number of rows of the table of words, and the default length of the texts of the batch.
fn sizes(graph: &Graph) -> Result<(usize, usize), Unrecognized> {
    let mut words = None;
    for node in graph.nodes.iter().filter(|node| node.op == "Gather") {
        if let (Some(table), Some(indices)) = (node.input(0), node.input(1))
            && let Source::Constant(table) = graph.source(table)
            && let [rows @ (1..), dim] = *table.shape
            && is_input(graph, indices, Input::Ids)
        {
            words = Some((rows, dim));
            break;
        }
    }
    let Some((word_rows, dim)) = words else {
        let expected = "a node Gather that looks up rows of a constant table by `input_ids`";
        return Err(Unrecognized::new("graph", expected, "none"));
    };
    // The table of positions is looked up or sliced, and it is longer than the table of token types.
    let mut rows = 0;
    for node in graph.nodes.iter().filter(|node| matches!(node.op.as_str(), "Gather" | "Slice")) {
        if let Some(table) = node.input(0)
            && let Source::Constant(table) = graph.source(table)
            && !matches!(table.data, Data::I64(_) | Data::Bool(_))
            && let [.., table_rows, table_dim] = *table.shape
            && table_dim == dim
            && !node.input(1).is_some_and(|indices| is_input(graph, indices, Input::Ids))
        {
            rows = rows.max(table_rows);
        }
    }
    let length = rows.saturating_sub(MAX_FIRST_POSITION).max(rows / 2).clamp(2, MAX_LENGTH);
    Ok((word_rows, length))
}

/// Whether a value is an input of the model, or the same numbers as another integer type.
pub(super) fn is_input(graph: &Graph, value: ValueId, input: Input) -> bool {
    match graph.source(value) {
        Source::Input(other) => *other == input,
        _ => graph.producer(value).is_some_and(|(node, _)| {
            node.op == "Cast"
                && matches!(node.int("to"), Some(6 | 7))
                && node.input(0).is_some_and(
                    |source| matches!(graph.source(source), Source::Input(other) if *other == input),
                )
        }),
    }
}
