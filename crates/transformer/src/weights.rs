//! The parameters of a model, as a file stores them: [`Weights`].
//!
//! A model has the architecture of BERT (Devlin et al., 2019, §3; Vaswani et al., 2017, §3): embeddings, then layers of
//! self-attention and feed-forward networks, each followed by a residual connection and a layer normalization. The
//! attention may have relative position biases, as in MPNet.

pub use crate::relative_position_biases::RelativePositionBiases;

/// The parameters of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The embeddings.
    pub embeddings: Embeddings,
    /// The relative position biases, which all layers share. Only MPNet has them.
    pub relative_position_biases: Option<RelativePositionBiases>,
    /// The layers, from the first to the last.
    pub layers: Vec<Layer>,
    /// The model's outputs, in the order of the file.
    pub outputs: Vec<Output>,
}

/// The embeddings: the sum of two or three rows, one from each table, normalized.
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    /// A row for each token id.
    pub words: Table,
    /// A row for each position.
    pub positions: Table,
    /// The row of the first token in `positions`: 0 for BERT, 2 for RoBERTa.
    pub first_position: usize,
    /// A row for each token type. A model without the input `token_type_ids` has either no such table, or one row that
    /// is added to all tokens.
    pub types: Option<Table>,
    /// Whether the row of `types` is chosen by the input `token_type_ids`. Otherwise, all tokens have the type 0.
    pub has_type_input: bool,
    /// The normalization of the sum.
    pub norm: Norm,
}

impl Embeddings {
    /// Maximum number of tokens of a text.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.positions.rows - self.first_position
    }
}

/// A table of embeddings: `rows` vectors of `dim` values.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Number of rows.
    pub rows: usize,
    /// Number of values in a row.
    pub dim: usize,
    /// The values, row-major.
    pub values: TableValues,
}

impl Table {
    /// The values as floats.
    #[must_use]
    pub fn to_floats(&self) -> Vec<f32> {
        match &self.values {
            TableValues::F32(values) => values.clone(),
            TableValues::U8 { bytes, scale, zero } => {
                bytes.iter().map(|&byte| f32::from(i16::from(byte) - i16::from(*zero)) * scale).collect()
            }
        }
    }
}

/// The values of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub enum TableValues {
    /// Floats.
    F32(Vec<f32>),
    /// Bytes. A byte b stands for (b − `zero`) · `scale`.
    U8 {
        /// The bytes.
        bytes: Vec<u8>,
        /// The scale of all bytes.
        scale: f32,
        /// The byte that stands for 0.
        zero: u8,
    },
}

/// The parameters of a layer normalization (Ba et al., 2016).
#[derive(Debug, Clone, PartialEq)]
pub struct Norm {
    /// The factor of each value.
    pub weight: Vec<f32>,
    /// The addend of each value.
    pub bias: Vec<f32>,
    /// The number that is added to the variance.
    pub epsilon: f32,
}

/// A linear layer: output j is Σᵢ inputᵢ · wᵢⱼ + biasⱼ.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// The matrix w, row-major: a row for each input.
    pub weights: Matrix,
    /// A value for each output.
    pub bias: Vec<f32>,
}

/// The values of the matrix of a [`Linear`].
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix {
    /// Floats.
    F32(Vec<f32>),
    /// Signed bytes. A byte b of output j stands for b · `scales[j]`. The inputs are quantized at run time.
    I8 {
        /// The bytes.
        bytes: Vec<i8>,
        /// A scale for each output.
        scales: Vec<f32>,
    },
}

/// A layer: self-attention and a feed-forward network with one hidden layer and GELU.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The queries of the attention.
    pub query: Linear,
    /// The keys of the attention.
    pub key: Linear,
    /// The values of the attention.
    pub value: Linear,
    /// Number of attention heads. Each has an equal share of the dimensions of queries, keys and values.
    pub heads: usize,
    /// The factor of the products of queries and keys, usually 1 / √(dimension of a head).
    pub scale: f32,
    /// Combines the results of all heads.
    pub attention_output: Linear,
    /// Normalizes the sum of the layer's input and the attention's output.
    pub attention_norm: Norm,
    /// The hidden layer of the feed-forward network, before GELU.
    pub intermediate: Linear,
    /// The output of the feed-forward network.
    pub output: Linear,
    /// Normalizes the sum of the attention's normalized result and the output of the feed-forward network.
    pub output_norm: Norm,
}

/// An output of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Its name in the file.
    pub name: String,
    /// How it is computed.
    pub head: Head,
}

/// How an output is computed from the hidden states of the last layer.
#[derive(Debug, Clone, PartialEq)]
pub enum Head {
    /// The hidden states themselves, `[batch, sequence, dim]`.
    HiddenStates,
    /// The hidden state of the first token, `[batch, dim]`.
    FirstToken,
    /// A linear function of each hidden state, of which one output is taken: `[batch, sequence]`. Readers compute start
    /// and end logits in this way.
    TokenLogits {
        /// The function. Outputs that share it have equal copies.
        linear: Linear,
        /// The output that is taken.
        column: usize,
    },
    /// A linear function of the hidden state of the first token, of which one output is taken: `[batch]`.
    FirstTokenLogits {
        /// The function.
        linear: Linear,
        /// The output that is taken.
        column: usize,
    },
    /// tanh of a linear function of the hidden state of the first token, `[batch, outputs]`: BERT's pooler.
    Pooler(Linear),
}
