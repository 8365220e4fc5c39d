//! The outputs of a graph, which are computed from the last hidden states.

use super::super::error::Unrecognized;
use super::super::graph::ValueId;
use super::super::node::Node;
use super::super::probe::BATCH;
use super::{MAX_COPIES, Matcher};
use crate::weights::{Head, Output};

impl Matcher<'_> {
    /// Matches all outputs. Returns them and the hidden states that all of them are computed from.
    pub fn outputs(&self) -> Result<(Vec<Output>, ValueId), Unrecognized> {
        let count = self.graph.outputs.len();
        if !(1..=MAX_COPIES).contains(&count) {
            let expected = format!("between 1 and {MAX_COPIES} outputs");
            return Err(Unrecognized::new("graph", expected, count.to_string()));
        }
        let mut outputs = Vec::with_capacity(count);
        let mut hidden = None;
        for (name, value) in &self.graph.outputs {
            let (head, source) = self.head(*value)?;
            if *hidden.get_or_insert(source) != source {
                return Err(self.refuse(*value, "the same hidden states as those of the other outputs"));
            }
            outputs.push(Output { name: name.clone(), head });
        }
        match hidden {
            Some(hidden) => Ok((outputs, hidden)),
            None => Err(Unrecognized::new("graph", "at least one output", "none")),
        }
    }

    /// Matches an output. Returns it and the hidden states.
    fn head(&self, value: ValueId) -> Result<(Head, ValueId), Unrecognized> {
        let length = self.probe.length;
        let got = self.shape(value)?;
        let (head, hidden, shape) = if let Some((norm, _)) = self.norm(value) {
            (Head::HiddenStates, self.rows(value), vec![BATCH, length, norm.weight.len()])
        } else if let Some(hidden) = self.first_token(value) {
            let (norm, _) = self.required_norm(hidden)?;
            (Head::FirstToken, hidden, vec![BATCH, norm.weight.len()])
        } else if let Some(node) = self.node(value, "Tanh") {
            let source = node.input(0).ok_or_else(|| self.refuse(value, "an input"))?;
            let (linear, token) = self.required_linear(source)?;
            let hidden = self.first_token(token);
            let hidden = hidden.ok_or_else(|| self.refuse(token, "the hidden state of the first token"))?;
            let shape = vec![BATCH, linear.outputs];
            (Head::Pooler(linear), hidden, shape)
        } else {
            let (source, column) = self.column(value);
            let expected = "hidden states, those of the first token, the tanh of a linear function of them, or one \
                            output of a linear function of hidden states";
            let (linear, input) = self.linear(source)?.ok_or_else(|| self.refuse(source, expected))?;
            if column.is_none() && linear.outputs != 1 {
                return Err(self.refuse_for(value, "one output", format!("{} outputs", linear.outputs)));
            }
            let column = column.unwrap_or(0);
            if let Some(hidden) = self.first_token(input) {
                (Head::FirstTokenLogits { linear, column }, hidden, vec![BATCH])
            } else if self.norm(input).is_some() {
                (Head::TokenLogits { linear, column }, self.rows(input), vec![BATCH, length])
            } else {
                return Err(self.refuse(input, "hidden states, or those of the first token"));
            }
        };
        if got != shape {
            let expected = format!("the shape {shape:?} for the batch of the probe");
            return Err(self.refuse_for(value, expected, format!("{got:?}")));
        }
        let (norm, _) = self.required_norm(hidden)?;
        let dim = norm.weight.len();
        match &head {
            Head::TokenLogits { linear, .. }
            | Head::FirstTokenLogits { linear, .. }
            | Head::Pooler(linear)
                if linear.inputs != dim =>
            {
                Err(self.refuse(value, format!("a linear function of {dim} values")))
            }
            _ => Ok((head, hidden)),
        }
    }

    /// Matches one column, along the last axis, of a value. Returns the value and the number of the column, or `None`
    /// if the value is not such a column. Axes of size 1 are ignored.
    fn column(&self, value: ValueId) -> (ValueId, Option<usize>) {
        let mut value = value;
        while let Some((node, 0)) = self.graph.producer(value)
            && matches!(node.op.as_str(), "Squeeze" | "Reshape" | "Flatten")
            && let Some(input) = node.input(0)
            && let Some([.., 1]) = self.probe.shape(input)
        {
            value = input;
        }
        match self.selected_column(value) {
            Some((source, column)) => (source, Some(column)),
            None => (value, None),
        }
    }

    /// Matches `Gather`, `Split` or `Slice` of one column.
    fn selected_column(&self, value: ValueId) -> Option<(ValueId, usize)> {
        let (node, output) = self.graph.producer(value)?;
        let input = node.input(0)?;
        let columns = *self.probe.shape(input)?.last()?;
        let column = match node.op.as_str() {
            "Gather" if self.is_last_axis(input, node.int("axis").unwrap_or(0)) => {
                let index = self.integer(node.input(1)?)?;
                if index < 0 { index.checked_add(i64::try_from(columns).ok()?)? } else { index }
            }
            "Split" if self.is_last_axis(input, node.int("axis").unwrap_or(0)) => {
                let width = |&part: &ValueId| self.probe.shape(part)?.last().copied();
                let before = node.outputs[..output].iter().map(width).sum::<Option<usize>>()?;
                (width(&value)? == 1).then_some(before as i64)?
            }
            "Slice" => {
                let (axis, start) = self.slice_start(node)?;
                let is_column = self.is_last_axis(input, axis) && self.probe.shape(value)?.last() == Some(&1);
                let size = i64::try_from(columns).ok()?;
                let start = if start < 0 { start.checked_add(size)? } else { start };
                is_column.then_some(start)?
            }
            _ => return None,
        };
        Some((input, usize::try_from(column).ok().filter(|&column| column < columns)?))
    }

    /// The axis and the start of a `Slice` along one axis.
    fn slice_start(&self, node: &Node) -> Option<(i64, i64)> {
        if let (Some([start]), Some([axis])) = (node.ints("starts"), node.ints("axes")) {
            return Some((*axis, *start));
        }
        Some((self.integer(node.input(3)?)?, self.integer(node.input(1)?)?))
    }

    /// Matches the hidden states of the first tokens, `[batch, dim]`, and returns the hidden states of all tokens.
    fn first_token(&self, value: ValueId) -> Option<ValueId> {
        let value = self.rows(value);
        let (node, _) = self.graph.producer(value)?;
        let hidden = node.input(0)?;
        let shape = self.probe.shape(hidden)?;
        let (axis, start) = match node.op.as_str() {
            "Gather" => (node.int("axis").unwrap_or(0), self.integer(node.input(1)?)?),
            "Slice" if self.probe.shape(value)?.get(1) == Some(&1) => self.slice_start(node)?,
            _ => return None,
        };
        let is_states = matches!(*shape, [BATCH, length, _] if length == self.probe.length);
        (is_states && matches!(axis, 1 | -2) && start == 0).then(|| self.rows(hidden))
    }
}
