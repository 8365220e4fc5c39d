//! [`Model`]: a model whose weights are arranged for products, and its forward pass.

use std::cell::RefCell;

use control::{Canceled, Control};
use kernels::logits::exp;
use kernels::network::{NetworkKernels, QuantizedRows};
use rayon::prelude::*;

use crate::attention::{Attention, AttentionScratch, ScoreBiases};
use crate::embed::embed;
use crate::linear::{PreparedLinear, join};
use crate::weights::{Embeddings, Head, Layer, Norm, Weights};
use crate::{Error, Text, check};

/// Maximum number of tokens in a group of texts that are run together, unless a single text is longer. The weights are
/// read once for each group. With a model of the size of MiniLM, the activations of a group fit in the L2 cache.
const GROUP_TOKENS: usize = 128;

/// A model that can be run.
#[derive(Debug)]
pub struct Model {
    embeddings: Embeddings,
    biases: Option<ScoreBiases>,
    layers: Vec<PreparedLayer>,
    outputs: Vec<PreparedOutput>,
    names: Vec<String>,
}

#[derive(Debug)]
struct PreparedLayer {
    attention: Attention,
    /// Computes the query, the key and the value of each token.
    projections: PreparedLinear,
    attention_output: PreparedLinear,
    attention_norm: Norm,
    intermediate: PreparedLinear,
    output: PreparedLinear,
    output_norm: Norm,
}

#[derive(Debug)]
enum PreparedOutput {
    HiddenStates,
    FirstToken,
    TokenLogits { linear: PreparedLinear, column: usize },
    FirstTokenLogits { linear: PreparedLinear, column: usize },
    Pooler(PreparedLinear),
}

/// The values of an output for all texts of a call, text by text.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// Whether there is a row for each token of each text, instead of one row for each text.
    pub is_per_token: bool,
    /// Number of values in a row.
    pub dim: usize,
    /// The rows.
    pub data: Vec<f32>,
}

impl Model {
    /// Arranges the weights of a model.
    ///
    /// # Errors
    ///
    /// [`Error::Weights`] if the sizes of the weights do not fit together.
    pub fn new(weights: Weights) -> Result<Self, Error> {
        check::check(&weights)?;
        let Weights { embeddings, relative_position_biases, layers, outputs } = weights;
        let names = outputs.iter().map(|output| output.name.clone()).collect();
        let outputs = outputs.iter().map(|output| match &output.head {
            Head::HiddenStates => PreparedOutput::HiddenStates,
            Head::FirstToken => PreparedOutput::FirstToken,
            Head::TokenLogits { linear, column } => {
                PreparedOutput::TokenLogits { linear: PreparedLinear::new(linear), column: *column }
            }
            Head::FirstTokenLogits { linear, column } => {
                PreparedOutput::FirstTokenLogits { linear: PreparedLinear::new(linear), column: *column }
            }
            Head::Pooler(linear) => PreparedOutput::Pooler(PreparedLinear::new(linear)),
        });
        let outputs = outputs.collect();
        let layers = layers.into_iter().map(PreparedLayer::new).collect();
        let max_tokens = embeddings.max_tokens();
        let biases = relative_position_biases.map(|biases| ScoreBiases::new(&biases, max_tokens));
        Ok(Self { embeddings, biases, layers, outputs, names })
    }

    /// Names of the outputs.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        &self.names
    }

    /// Maximum number of tokens of a text.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.embeddings.max_tokens()
    }

    /// Dimension of the hidden states.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.embeddings.words.dim
    }

    /// Runs the model on texts and returns the chosen outputs, by their indices in [`outputs`](Self::outputs). Runs on
    /// the threads of the rayon pool in which it is called, or on the caller's thread if `is_parallel` is false.
    ///
    /// The values of a text do not depend on the other texts, on the number of threads, or on the CPU, bit for bit.
    ///
    /// # Errors
    ///
    /// [`Error::Text`] if a text has no tokens, too many tokens, or a token id or type for which there is no
    /// embedding; [`Error::Canceled`] if `control` was canceled, which is checked for each group of a few texts.
    ///
    /// # Panics
    ///
    /// If there is no output with one of the indices.
    pub fn run(
        &self,
        texts: &[Text<'_>],
        outputs: &[usize],
        is_parallel: bool,
        control: &Control,
    ) -> Result<Vec<Values>, Error> {
        texts.iter().enumerate().try_for_each(|(at, text)| self.check_text(at, *text))?;
        let groups = groups(texts);
        let run = |group: &&[Text<'_>]| {
            control.check()?;
            Ok(SCRATCH.with_borrow_mut(|scratch| self.run_group(group, outputs, scratch)))
        };
        let results: Vec<Vec<Vec<f32>>> = if is_parallel && groups.len() > 1 {
            groups.par_iter().map(run).collect::<Result<_, Canceled>>()?
        } else {
            groups.iter().map(run).collect::<Result<_, Canceled>>()?
        };
        let mut values: Vec<Values> = outputs.iter().map(|&output| self.empty(output)).collect();
        for group in results {
            for (values, data) in values.iter_mut().zip(group) {
                values.data.extend(data);
            }
        }
        Ok(values)
    }

    fn check_text(&self, at: usize, text: Text<'_>) -> Result<(), Error> {
        let fail = |expected: String, got: String| Err(Error::Text { text: at, expected, got });
        let (tokens, max_tokens) = (text.ids.len(), self.max_tokens());
        if tokens == 0 || tokens > max_tokens {
            return fail(format!("1 to {max_tokens} tokens"), tokens.to_string());
        }
        let words = self.embeddings.words.rows;
        if let Some(id) = text.ids.iter().find(|&&id| id as usize >= words) {
            return fail(format!("token ids below {words}"), id.to_string());
        }
        let has_one_type = self.embeddings.types.as_ref().is_some_and(|types| types.rows < 2);
        if has_one_type && self.embeddings.has_type_input && text.type_0_count < tokens {
            return fail("tokens of type 0".to_owned(), "a token of type 1".to_owned());
        }
        Ok(())
    }

    fn empty(&self, output: usize) -> Values {
        let (is_per_token, dim) = match &self.outputs[output] {
            PreparedOutput::HiddenStates => (true, self.dim()),
            PreparedOutput::FirstToken => (false, self.dim()),
            PreparedOutput::TokenLogits { .. } => (true, 1),
            PreparedOutput::FirstTokenLogits { .. } => (false, 1),
            PreparedOutput::Pooler(linear) => (false, linear.outputs()),
        };
        Values { is_per_token, dim, data: Vec::new() }
    }

    /// Runs the model on some texts. Returns the values of the chosen outputs.
    fn run_group(&self, texts: &[Text<'_>], outputs: &[usize], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        let kernels = NetworkKernels::detect();
        scratch.hidden.clear();
        for &text in texts {
            embed(kernels, &self.embeddings, text, &mut scratch.hidden);
        }
        for layer in &self.layers {
            layer.run(kernels, texts, self.biases.as_ref(), scratch);
        }
        outputs.iter().map(|&output| self.output(kernels, texts, output, scratch)).collect()
    }

    fn output(
        &self,
        kernels: &NetworkKernels,
        texts: &[Text<'_>],
        output: usize,
        scratch: &mut Scratch,
    ) -> Vec<f32> {
        let dim = self.dim();
        let Scratch { hidden, quantized, result, .. } = scratch;
        match &self.outputs[output] {
            PreparedOutput::HiddenStates => hidden.clone(),
            PreparedOutput::FirstToken => first_tokens(hidden, dim, texts),
            PreparedOutput::TokenLogits { linear, column } => {
                linear.apply(kernels, hidden, dim, quantized, result);
                result.chunks_exact(linear.stride()).map(|row| row[*column]).collect()
            }
            PreparedOutput::FirstTokenLogits { linear, column } => {
                linear.apply(kernels, &first_tokens(hidden, dim, texts), dim, quantized, result);
                result.chunks_exact(linear.stride()).map(|row| row[*column]).collect()
            }
            PreparedOutput::Pooler(linear) => {
                linear.apply(kernels, &first_tokens(hidden, dim, texts), dim, quantized, result);
                let rows = result.chunks_exact(linear.stride());
                rows.flat_map(|row| &row[..linear.outputs()]).map(|value| tanh(*value)).collect()
            }
        }
    }
}

impl PreparedLayer {
    fn new(layer: Layer) -> Self {
        let projections = join(&[&layer.query, &layer.key, &layer.value]);
        Self {
            attention: Attention {
                heads: layer.heads,
                head_dim: layer.query.outputs / layer.heads,
                scale: layer.scale,
            },
            projections: PreparedLinear::new(&projections),
            attention_output: PreparedLinear::new(&layer.attention_output),
            attention_norm: layer.attention_norm,
            intermediate: PreparedLinear::new(&layer.intermediate),
            output: PreparedLinear::new(&layer.output),
            output_norm: layer.output_norm,
        }
    }

    /// Replaces the hidden states of all texts by those after this layer.
    fn run(
        &self,
        kernels: &NetworkKernels,
        texts: &[Text<'_>],
        biases: Option<&ScoreBiases>,
        scratch: &mut Scratch,
    ) {
        let Scratch { hidden, projections, context, intermediate, quantized, result, attention } = scratch;
        let dim = self.attention_output.outputs();
        self.projections.apply(kernels, hidden, dim, quantized, projections);
        let (stride, context_dim) = (self.projections.stride(), self.attention_output.inputs());
        context.resize(hidden.len() / dim * context_dim, 0.0);
        let mut first = 0;
        for text in texts {
            let end = first + text.ids.len();
            let projections = &projections[first * stride..end * stride];
            let context = &mut context[first * context_dim..end * context_dim];
            self.attention.attend(kernels, projections, biases, attention, context);
            first = end;
        }
        self.attention_output.apply(kernels, context, context_dim, quantized, result);
        add_and_normalize(kernels, result, hidden, &self.attention_norm);
        std::mem::swap(hidden, result);
        self.intermediate.apply(kernels, hidden, dim, quantized, intermediate);
        kernels.gelu(intermediate);
        self.output.apply(kernels, intermediate, self.intermediate.stride(), quantized, result);
        add_and_normalize(kernels, result, hidden, &self.output_norm);
        std::mem::swap(hidden, result);
    }
}

/// Adds residuals to rows and normalizes the sums.
fn add_and_normalize(kernels: &NetworkKernels, rows: &mut [f32], residuals: &[f32], norm: &Norm) {
    let dim = norm.weight.len();
    for (row, residual) in rows.chunks_exact_mut(dim).zip(residuals.chunks_exact(dim)) {
        kernels.normalize(row, Some(residual), &norm.weight, &norm.bias, norm.epsilon);
    }
}

/// tanh(x) = (1 − exp(−2x)) / (1 + exp(−2x)), with the same bits on every platform, and an error below 2⁻²¹.
fn tanh(x: f32) -> f32 {
    let power = exp::<true>(-2.0 * x.abs());
    ((1.0 - power) / (1.0 + power)).copysign(x)
}

/// Copies the hidden state of the first token of each text.
fn first_tokens(hidden: &[f32], dim: usize, texts: &[Text<'_>]) -> Vec<f32> {
    let mut first = 0;
    let rows = texts.iter().flat_map(|text| {
        let row = &hidden[first * dim..][..dim];
        first += text.ids.len();
        row
    });
    rows.copied().collect()
}

/// Divides texts into groups of at most [`GROUP_TOKENS`] tokens. A longer text is a group of its own.
fn groups<'t, 'a>(texts: &'t [Text<'a>]) -> Vec<&'t [Text<'a>]> {
    let mut groups = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        if at > start && tokens + text.ids.len() > GROUP_TOKENS {
            groups.push(&texts[start..at]);
            (start, tokens) = (at, 0);
        }
        tokens += text.ids.len();
    }
    groups.push(&texts[start..]);
    groups
}

thread_local! {
    /// Buffers of a thread, which its runs share.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Memory for the activations of a group.
#[derive(Debug, Default)]
struct Scratch {
    /// The hidden states, `[tokens, dim]`.
    hidden: Vec<f32>,
    /// The query, the key and the value of each token.
    projections: Vec<f32>,
    /// The results of the attention.
    context: Vec<f32>,
    /// The hidden layer of the feed-forward network.
    intermediate: Vec<f32>,
    /// The inputs of the current product.
    quantized: QuantizedRows,
    /// The result of the current product.
    result: Vec<f32>,
    attention: AttentionScratch,
}
