//! Reads and writes models in the format of the Hugging Face library `transformers`: a folder with `config.json` and
//! `model.safetensors`.
//!
//! - [`read`] reads the [`Weights`](crate::weights::Weights) of a BERT, RoBERTa, XLM-RoBERTa, DistilBERT or MPNet
//!   model. The values may be f32, f16 or bf16.
//! - [`Config`] holds the entries of `config.json`. A program that trains a model reads it, changes the weights, and
//!   passes both to [`write()`], which keeps the entries that do not follow from the weights.
//!
//! The hidden states of the last layer are the only output of an encoder, [`HIDDEN_STATES_OUTPUT`]. A reader has the
//! tensors `qa_outputs.weight` and `qa_outputs.bias`, from which the start and end logits are computed. A reader like
//! DPR's (Karpukhin et al., 2020, §6.1) also has `qa_classifier.weight` and `qa_classifier.bias`, from which the
//! relevance of a passage is computed. Checkpoints with `model_type` `dpr` have other names, and are not supported. All
//! other tensors, such as poolers and the heads of masked language models, are ignored.
//!
//! PyTorch stores a linear layer as `[outputs, inputs]`, and [`Weights`](crate::weights::Weights) as
//! `[inputs, outputs]`.

mod architecture;
mod checkpoint;
mod config;
mod entries;
mod error;
mod read;
mod requirements;
mod sizes;
mod tensors;
mod write;

pub use architecture::Architecture;
pub use config::Config;
pub use error::Error;
pub use read::read;
pub use write::{FloatFormat, write};

/// The output of an encoder: the hidden states of the last layer.
pub const HIDDEN_STATES_OUTPUT: &str = "last_hidden_state";
/// The output of a reader with a logit for each token, that the answer begins there.
pub const START_OUTPUT: &str = "start_logits";
/// The output of a reader with a logit for each token, that the answer ends there.
pub const END_OUTPUT: &str = "end_logits";
/// The output of DPR's reader with a logit that the passage answers the question.
pub const RELEVANCE_OUTPUT: &str = "relevance_logit";

/// The file with the configuration of a model.
const CONFIG_FILE: &str = "config.json";
/// The file with the tensors of a model.
const MODEL_FILE: &str = "model.safetensors";
