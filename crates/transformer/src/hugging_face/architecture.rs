//! The architectures of models, with the names that `transformers` gives to their tensors and configuration entries:
//! [`Architecture`].

use crate::weights::Weights;

/// The architecture of a model, which the entry `model_type` of `config.json` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Architecture {
    /// BERT (Devlin et al., 2019).
    Bert,
    /// RoBERTa (Liu et al., 2019). Its first position is the row `pad_token_id` + 1 of the table of positions.
    Roberta,
    /// XLM-RoBERTa (Conneau et al., 2020), which differs from RoBERTa in its vocabulary only.
    XlmRoberta,
    /// DistilBERT (Sanh et al., 2019), which has no token types.
    DistilBert,
    /// MPNet (Song et al., 2020): RoBERTa without token types, and with relative position biases.
    MpNet,
}

/// The names of configuration entries that differ between architectures.
#[derive(Debug)]
pub(super) struct Keys {
    /// The dimension of the hidden states.
    pub dim: &'static str,
    /// The number of layers.
    pub layers: &'static str,
    /// The number of attention heads.
    pub heads: &'static str,
    /// The dimension of the hidden layer of feed-forward networks.
    pub intermediate: &'static str,
    /// The activation function of feed-forward networks.
    pub activation: &'static str,
}

/// The names of the modules of a layer. `.weight` or `.bias` follows the name of a module in the name of a tensor.
#[derive(Debug)]
pub(super) struct LayerNames {
    /// The list of layers, which the number of the layer follows.
    pub layers: &'static str,
    /// The queries of the attention.
    pub query: &'static str,
    /// The keys of the attention.
    pub key: &'static str,
    /// The values of the attention.
    pub value: &'static str,
    /// The output of the attention.
    pub attention_output: &'static str,
    /// The normalization after the attention.
    pub attention_norm: &'static str,
    /// The hidden layer of the feed-forward network.
    pub intermediate: &'static str,
    /// The output of the feed-forward network.
    pub output: &'static str,
    /// The normalization after the feed-forward network.
    pub output_norm: &'static str,
}

/// The table of words.
pub(super) const WORDS: &str = "embeddings.word_embeddings.weight";
/// The table of positions.
pub(super) const POSITIONS: &str = "embeddings.position_embeddings.weight";
/// The table of token types.
pub(super) const TYPES: &str = "embeddings.token_type_embeddings.weight";
/// The normalization of the embeddings.
pub(super) const EMBEDDINGS_NORM: &str = "embeddings.LayerNorm";
/// The relative position biases, which only MPNet has.
pub(super) const RELATIVE_POSITION_BIASES: &str = "encoder.relative_attention_bias.weight";
/// The linear layer that computes start and end logits.
pub(super) const SPAN_HEAD: &str = "qa_outputs";
/// The linear layer that computes the relevance of a passage.
pub(super) const RELEVANCE_HEAD: &str = "qa_classifier";

const BERT_KEYS: Keys = Keys {
    dim: "hidden_size",
    layers: "num_hidden_layers",
    heads: "num_attention_heads",
    intermediate: "intermediate_size",
    activation: "hidden_act",
};

const DISTILBERT_KEYS: Keys = Keys {
    dim: "dim",
    layers: "n_layers",
    heads: "n_heads",
    intermediate: "hidden_dim",
    activation: "activation",
};

const BERT_LAYER: LayerNames = LayerNames {
    layers: "encoder.layer",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attention_output: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    intermediate: "intermediate.dense",
    output: "output.dense",
    output_norm: "output.LayerNorm",
};

const DISTILBERT_LAYER: LayerNames = LayerNames {
    layers: "transformer.layer",
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attention_output: "attention.out_lin",
    attention_norm: "sa_layer_norm",
    intermediate: "ffn.lin1",
    output: "ffn.lin2",
    output_norm: "output_layer_norm",
};

const MPNET_LAYER: LayerNames = LayerNames {
    query: "attention.attn.q",
    key: "attention.attn.k",
    value: "attention.attn.v",
    attention_output: "attention.attn.o",
    attention_norm: "attention.LayerNorm",
    ..BERT_LAYER
};

impl Architecture {
    /// The architecture that fits weights without a configuration. RoBERTa and XLM-RoBERTa have the same.
    #[must_use]
    pub fn of(weights: &Weights) -> Self {
        let embeddings = &weights.embeddings;
        if weights.relative_position_biases.is_some() {
            return Self::MpNet;
        }
        match (embeddings.first_position, embeddings.types.is_some()) {
            (0, false) => Self::DistilBert,
            (0, true) => Self::Bert,
            _ => Self::Roberta,
        }
    }

    /// All architectures.
    pub const ALL: [Self; 5] = [Self::Bert, Self::Roberta, Self::XlmRoberta, Self::DistilBert, Self::MpNet];

    /// The value of `model_type` in `config.json`.
    #[must_use]
    pub fn model_type(self) -> &'static str {
        match self {
            Self::Bert => "bert",
            Self::Roberta => "roberta",
            Self::XlmRoberta => "xlm-roberta",
            Self::DistilBert => "distilbert",
            Self::MpNet => "mpnet",
        }
    }

    /// The row of the first token in the table of positions. `None` for RoBERTa, where it is `pad_token_id` + 1.
    /// `transformers` hard-codes the padding id 1 for MPNet.
    pub(super) fn fixed_first_position(self) -> Option<usize> {
        match self {
            Self::Bert | Self::DistilBert => Some(0),
            Self::Roberta | Self::XlmRoberta => None,
            Self::MpNet => Some(2),
        }
    }

    /// Whether there are embeddings of token types.
    pub(super) fn has_types(self) -> bool {
        !matches!(self, Self::DistilBert | Self::MpNet)
    }

    /// Whether there are relative position biases.
    pub(super) fn has_relative_position_biases(self) -> bool {
        self == Self::MpNet
    }

    /// The prefix of the names of tensors in files of models with heads.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Bert => "bert.",
            Self::Roberta | Self::XlmRoberta => "roberta.",
            Self::DistilBert => "distilbert.",
            Self::MpNet => "mpnet.",
        }
    }

    /// The class of `transformers` that loads an encoder.
    pub(super) fn encoder_class(self) -> &'static str {
        match self {
            Self::Bert => "BertModel",
            Self::Roberta => "RobertaModel",
            Self::XlmRoberta => "XLMRobertaModel",
            Self::DistilBert => "DistilBertModel",
            Self::MpNet => "MPNetModel",
        }
    }

    /// The class of `transformers` that loads a reader.
    pub(super) fn reader_class(self) -> &'static str {
        match self {
            Self::Bert => "BertForQuestionAnswering",
            Self::Roberta => "RobertaForQuestionAnswering",
            Self::XlmRoberta => "XLMRobertaForQuestionAnswering",
            Self::DistilBert => "DistilBertForQuestionAnswering",
            Self::MpNet => "MPNetForQuestionAnswering",
        }
    }

    /// The names of configuration entries.
    pub(super) fn keys(self) -> &'static Keys {
        if self == Self::DistilBert { &DISTILBERT_KEYS } else { &BERT_KEYS }
    }

    /// The names of the modules of a layer.
    pub(super) fn layer_names(self) -> &'static LayerNames {
        match self {
            Self::DistilBert => &DISTILBERT_LAYER,
            Self::MpNet => &MPNET_LAYER,
            Self::Bert | Self::Roberta | Self::XlmRoberta => &BERT_LAYER,
        }
    }
}
