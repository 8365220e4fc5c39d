//! Encodes texts as vectors: [`Encoder`].
//!
//! Texts are tokenized, sorted by length, and run in batches of similar length. The model returns a vector for each
//! token of a text. The vectors of a text's tokens are pooled into one vector, unless the model itself pools.

mod pooling;

use std::sync::Arc;

use control::Control;
use tokenize::{ModelInput, Tokenizer};

use self::pooling::normalize;
use crate::runtime::plan_batches;
use crate::{Batch, Error, Runtime, Session};

pub use self::pooling::Pooling;

/// The smallest allowed value of `max_tokens`. It leaves room for some tokens of a text in addition to `[CLS]` and
/// `[SEP]`.
pub const MIN_MAX_TOKENS: usize = 8;

/// The default of [`EncodeOptions::batch_tokens`].
pub const DEFAULT_BATCH_TOKENS: usize = 2048;

/// A text to encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncoderInput<'a> {
    /// The title of the passage, if it has one.
    pub title: Option<&'a str>,
    /// The text of a question or passage.
    pub text: &'a str,
}

impl<'a> EncoderInput<'a> {
    /// A text without a title.
    #[must_use]
    pub fn text(text: &'a str) -> Self {
        Self { title: None, text }
    }
}

/// How the title and the text of a passage are joined into one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PassageForm {
    /// `[CLS] title [SEP] text [SEP]`, as for DPR.
    #[default]
    Pair,
    /// `[CLS] title text [SEP]`, as for sentence encoders.
    Joined,
}

/// The token types (segment ids) of a passage with a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenTypes {
    /// 0 for the title and 1 for the text, as in the pretraining of BERT.
    #[default]
    Segments,
    /// 0 for all tokens. The encoders of Karpukhin et al. (2020) were trained and run with zeros.
    Zeros,
}

/// How a model is used as an encoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderConfig {
    /// How token vectors are pooled.
    pub pooling: Pooling,
    /// Whether vectors are scaled to unit length.
    pub normalize: bool,
    /// Maximum number of tokens per input, special tokens included. Longer texts are truncated.
    pub max_tokens: usize,
    /// How title and text are joined.
    pub passage_form: PassageForm,
    /// The token types of title and text in [`PassageForm::Pair`]. Models without the input `token_type_ids` ignore
    /// them.
    pub token_types: TokenTypes,
}

/// The vector of the first token, not scaled; at most 256 tokens; title and text as a pair of segments.
impl Default for EncoderConfig {
    fn default() -> Self {
        Self {
            pooling: Pooling::Cls,
            normalize: false,
            max_tokens: 256,
            passage_form: PassageForm::Pair,
            token_types: TokenTypes::Segments,
        }
    }
}

impl EncoderConfig {
    /// Tokenizes a title and a text. If they exceed the maximum number of tokens, truncates the text, and the title
    /// only if it is too long even without a text.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`] if a text cannot be tokenized.
    pub fn model_input(&self, tokenizer: &Tokenizer, input: EncoderInput<'_>) -> Result<ModelInput, Error> {
        Ok(self.truncated_input(tokenizer, input)?.0)
    }

    /// Returns the same as [`model_input`](Self::model_input), and whether the title or the text was truncated.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`] if a text cannot be tokenized.
    pub fn truncated_input(
        &self,
        tokenizer: &Tokenizer,
        input: EncoderInput<'_>,
    ) -> Result<(ModelInput, bool), Error> {
        let title = input.title.filter(|title| !title.is_empty());
        let (first, second) = match (title, self.passage_form) {
            (None, _) => (tokenizer.pieces(input.text)?, None),
            (Some(title), PassageForm::Joined) => {
                (tokenizer.pieces(&format!("{title} {}", input.text))?, None)
            }
            (Some(title), PassageForm::Pair) => {
                (tokenizer.pieces(title)?, Some(tokenizer.pieces(input.text)?))
            }
        };
        let special_tokens = tokenizer.special_token_count(if second.is_some() { 2 } else { 1 });
        let room = self.max_tokens.saturating_sub(special_tokens);
        let first_length = first.len().min(room);
        let is_truncated = first.len() + second.as_ref().map_or(0, |second| second.len()) > room;
        let second = second.map(|second| second.ids[..second.len().min(room - first_length)].to_vec());
        let mut input = tokenizer.input(&first.ids[..first_length], second.as_deref());
        if self.token_types == TokenTypes::Zeros {
            // Gives all tokens the type 0.
            input.type_0_count = input.ids.len();
        }
        Ok((input, is_truncated))
    }
}

/// How a list of texts is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeOptions {
    /// Maximum number of tokens in a batch, padding included. Texts are sorted by length, so there is little padding.
    /// With [`Runtime::BuiltIn`], batches have at least [`DEFAULT_BATCH_TOKENS`] tokens, because they do not change the
    /// vectors.
    pub batch_tokens: usize,
    /// Position of the first input in the caller's list, if that list is encoded in several calls. Used in error
    /// messages.
    pub first_input: usize,
}

/// 2,048 tokens per batch, because larger batches were not faster.
impl Default for EncodeOptions {
    fn default() -> Self {
        Self { batch_tokens: DEFAULT_BATCH_TOKENS, first_input: 0 }
    }
}

/// Encodes texts as vectors.
#[derive(Debug)]
pub struct Encoder {
    session: Arc<Session>,
    tokenizer: Arc<Tokenizer>,
    config: EncoderConfig,
    /// Name of the model output that is read.
    output: String,
    dim: usize,
}

impl Encoder {
    /// Creates an encoder. Runs the model once to determine the dimension of its vectors.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model lacks the output that `config.pooling` needs, or if this output has an unexpected
    /// shape; [`Error::Argument`] if `max_tokens` is less than 8; [`Error::Tokenize`] or [`Error::Run`] if that run
    /// fails.
    pub fn new(
        session: Arc<Session>,
        tokenizer: Arc<Tokenizer>,
        config: EncoderConfig,
    ) -> Result<Self, Error> {
        if config.max_tokens < MIN_MAX_TOKENS {
            let (expected, got) = (format!("at least {MIN_MAX_TOKENS}"), config.max_tokens.to_string());
            return Err(Error::Argument { what: "maxTokens", expected, got });
        }
        let output = match &config.pooling {
            Pooling::Output(name) => name.clone(),
            Pooling::Cls | Pooling::Mean => "last_hidden_state".to_owned(),
        };
        let mut encoder = Self { session, tokenizer, config, output, dim: 0 };
        let input = encoder.tokenizer.input(&encoder.tokenizer.pieces("passage")?.ids, None);
        let states = encoder.run(&[&input], &Control::new())?;
        encoder.dim = *states.shape.last().expect("its rank was checked");
        Ok(encoder)
    }

    /// Dimension of the vectors.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// What runs the model.
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        self.session.runtime()
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &EncoderConfig {
        &self.config
    }

    /// Encodes texts. Returns their vectors as a row-major matrix `[inputs, dim]`, in the order of the inputs. Progress
    /// counts inputs.
    ///
    /// The same list and the same options give the same bytes. With [`Runtime::BuiltIn`], the vector of a text does not
    /// depend on the other texts. With ONNX Runtime and an int8 model, it does, because the model chooses the
    /// quantization scale of its activations per batch: the cosine of two vectors of the same text from different
    /// batches is about 0.99 or more. With `batch_tokens: 1`, every text is encoded alone.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`] or [`Error::Run`] if a text cannot be tokenized or the model cannot be run; [`Error::Model`]
    /// if the model's output has an unexpected shape, or if a vector has a value that is not finite, because no index
    /// accepts such vectors; [`Error::Canceled`] if `control` was canceled, which is checked for each text and,
    /// while a batch runs, for each group of a few texts.
    pub fn encode(
        &self,
        inputs: &[EncoderInput<'_>],
        options: &EncodeOptions,
        control: &Control,
    ) -> Result<Vec<f32>, Error> {
        let mut prepared = Vec::with_capacity(inputs.len());
        for (at, &input) in inputs.iter().enumerate() {
            control.check()?;
            prepared.push((at, self.config.model_input(&self.tokenizer, input)?));
        }
        prepared.sort_by_key(|(_, input)| std::cmp::Reverse(input.ids.len()));
        let lengths: Vec<usize> = prepared.iter().map(|(_, input)| input.ids.len()).collect();
        let mut vectors = vec![0.0; inputs.len() * self.dim];
        let batch_tokens = match self.runtime() {
            Runtime::BuiltIn => options.batch_tokens.max(DEFAULT_BATCH_TOKENS),
            Runtime::OnnxRuntime => options.batch_tokens,
        };
        for rows in plan_batches(&lengths, batch_tokens) {
            control.check()?;
            let batch = &prepared[rows];
            let states = self.run(&batch.iter().map(|(_, input)| input).collect::<Vec<_>>(), control)?;
            let stride = states.data.len() / batch.len();
            for ((at, input), states) in batch.iter().zip(states.data.chunks_exact(stride)) {
                let vector = &mut vectors[at * self.dim..][..self.dim];
                self.config.pooling.pool(states, input.ids.len(), vector);
                if self.config.normalize {
                    normalize(vector);
                }
            }
            self.check_finite(&vectors, batch.iter().map(|&(at, _)| at), options.first_input)?;
            control.advance(batch.len() as u64);
        }
        Ok(vectors)
    }

    /// Fails if a vector of these inputs has a value that is not finite. The error names the first such input.
    fn check_finite(
        &self,
        vectors: &[f32],
        inputs: impl Iterator<Item = usize>,
        first_input: usize,
    ) -> Result<(), Error> {
        let found = inputs.filter_map(|at| {
            let vector = &vectors[at * self.dim..][..self.dim];
            Some((at, *vector.iter().find(|value| !value.is_finite())?))
        });
        let Some((at, value)) = found.min_by_key(|&(at, _)| at) else { return Ok(()) };
        let expected = format!("a vector of finite numbers for inputs[{}]", first_input + at);
        Err(Error::model(self.session.path(), expected, value.to_string()))
    }

    /// Runs the model on one batch and checks the shape of its output.
    fn run(&self, inputs: &[&ModelInput], control: &Control) -> Result<crate::Tensor, Error> {
        let batch = Batch::new(inputs, self.tokenizer.padding_id());
        let (rows, length) = (batch.rows, batch.length);
        let tensor =
            self.session.run(batch, &[&self.output], control)?.pop().expect("one output was requested");
        let expected_rank = if matches!(self.config.pooling, Pooling::Output(_)) { 2 } else { 3 };
        let has_expected_shape = tensor.shape.len() == expected_rank
            && tensor.shape[0] == rows
            && (expected_rank == 2 || tensor.shape[1] == length)
            && (self.dim == 0 || tensor.shape.last() == Some(&self.dim))
            && !tensor.data.is_empty();
        if has_expected_shape {
            return Ok(tensor);
        }
        let shape = if expected_rank == 2 { "[batch, dim]" } else { "[batch, sequence, dim]" };
        let expected = format!("output \"{}\" of shape {shape}", self.output);
        Err(Error::model(self.session.path(), expected, format!("{:?}", tensor.shape)))
    }
}
