//! Writes the outputs of the graph.

use super::super::format::Dimension;
use super::WriteError;
use super::builder::{Builder, int};
use crate::weights::{Head, Linear, Output};

/// The linear functions of outputs that have been written.
#[derive(Default)]
struct Written<'a> {
    /// Each function, whether its input is the first token only, and its result.
    functions: Vec<(&'a Linear, bool, String)>,
    /// The hidden state of the first token.
    first_token: Option<String>,
}

impl Builder {
    /// Adds the outputs of the graph, which are computed from the hidden states, `[batch, sequence, dim]`.
    ///
    /// # Errors
    ///
    /// [`WriteError::Output`] if there are none, or if the name of one is empty or the name of another value.
    pub fn outputs(&mut self, outputs: &[Output], hidden: &str, dim: usize) -> Result<(), WriteError> {
        if outputs.is_empty() {
            return Err(WriteError::Output { expected: "at least 1".to_owned(), got: "0".to_owned() });
        }
        self.scope = "outputs".to_owned();
        let mut written = Written::default();
        let named = |name: &str| Dimension::Parameter(name.to_owned());
        let sized = |size: usize| Dimension::Value(size as i64);
        let mut values = Vec::with_capacity(outputs.len());
        for output in outputs {
            let (batch, sequence) = (named("batch"), named("sequence"));
            values.push(match &output.head {
                Head::HiddenStates => (hidden.to_owned(), vec![batch, sequence, sized(dim)]),
                Head::FirstToken => (self.first_token(hidden, &mut written), vec![batch, sized(dim)]),
                Head::TokenLogits { linear, column } => {
                    let logits = self.shared_linear(linear, false, hidden, &mut written);
                    (self.column(&logits, *column, 2), vec![batch, sequence])
                }
                Head::FirstTokenLogits { linear, column } => {
                    let logits = self.shared_linear(linear, true, hidden, &mut written);
                    (self.column(&logits, *column, 1), vec![batch])
                }
                Head::Pooler(linear) => {
                    let pooled = self.shared_linear(linear, true, hidden, &mut written);
                    (self.node("Tanh", &[&pooled]), vec![batch, sized(linear.outputs)])
                }
            });
        }
        for (output, (value, axes)) in outputs.iter().zip(values) {
            if output.name.is_empty() || self.is_defined(&output.name) {
                return Err(WriteError::Output {
                    expected: "names that differ from each other and from those of other values".to_owned(),
                    got: format!("`{}`", output.name),
                });
            }
            self.output(&output.name, &value, axes);
        }
        Ok(())
    }

    /// Adds a linear function of the hidden states, or of that of the first token, unless an equal one exists.
    fn shared_linear<'a>(
        &mut self,
        linear: &'a Linear,
        is_first_token: bool,
        hidden: &str,
        written: &mut Written<'a>,
    ) -> String {
        let is_same = |(other, of_first_token, _): &&(&Linear, bool, String)| {
            *of_first_token == is_first_token && *other == linear
        };
        if let Some((_, _, result)) = written.functions.iter().find(is_same) {
            return result.clone();
        }
        let input = if is_first_token { self.first_token(hidden, written) } else { hidden.to_owned() };
        let result = self.linear("head", linear, &input);
        written.functions.push((linear, is_first_token, result.clone()));
        result
    }

    /// The hidden state of the first token, `[batch, dim]`.
    fn first_token(&mut self, hidden: &str, written: &mut Written<'_>) -> String {
        let make = || {
            let zero = self.int(0);
            self.with("Gather", &[hidden, &zero], vec![int("axis", 1)])
        };
        written.first_token.get_or_insert_with(make).clone()
    }

    /// One value of the last axis.
    fn column(&mut self, value: &str, column: usize, axis: i64) -> String {
        let index = self.int(column as i64);
        self.with("Gather", &[value, &index], vec![int("axis", axis)])
    }
}
