//! The options of training, and names of enums.

use inference::{EncoderConfig, PassageForm, Pooling, ReaderConfig, TokenTypes};
use napi_derive::napi;
use pipelines::{EncoderTrainingOptions, Precision, ReaderTrainingOptions, TrainingStep};
use training::loss::Similarity;
use training::optimizer::{AdamOptions, Schedule};
use training::{EncoderOptions, Loss, StepOptions};

use crate::call::{CallResult, Failure};

/// How an encoder is trained.
#[napi(object)]
pub struct NativeEncoderTrainingOptions {
    /// `cls` or `mean`.
    pub pooling: String,
    pub normalize: bool,
    pub max_tokens: u32,
    /// `pair` or `joined`.
    pub passage_form: String,
    /// `segments` or `zeros`.
    pub token_types: String,
    /// `dot`, `cosine` or `l2`.
    pub similarity: String,
    pub temperature: f64,
    /// The margin of the triplet loss. Without it, the loss is the negative log likelihood.
    pub margin: Option<f64>,
    /// If only the question encoder is trained: identifies the passage encoder.
    pub passage_encoder: Option<String>,
    pub step: NativeStepOptions,
}

/// How a reader is trained.
#[napi(object)]
pub struct NativeReaderTrainingOptions {
    pub max_tokens: u32,
    pub max_question_tokens: u32,
    pub step: NativeStepOptions,
}

/// The options of all steps.
#[napi(object)]
pub struct NativeStepOptions {
    /// The highest learning rate.
    pub learning_rate: f64,
    /// Number of steps in which the learning rate grows.
    pub warm_up_steps: u32,
    /// Number of all steps, after which the learning rate is 0.
    pub steps: u32,
    pub weight_decay: f64,
    pub dropout: f64,
    /// 0 stands for no clipping.
    pub max_gradient_norm: f64,
    /// The seed of dropout and of new heads.
    pub seed: u32,
    /// 0 stands for one per core.
    pub threads: u32,
    /// In MiB.
    pub activation_memory: u32,
    /// Whether the products of linear layers are computed in bfloat16.
    pub bf16: bool,
}

/// What a step did.
#[napi(object)]
pub struct NativeStepReport {
    pub loss: f64,
    pub gradient_norm: f64,
    pub learning_rate: f64,
    pub tokens: u32,
    /// Number of questions whose positive passage had a higher score than all others.
    pub correct: u32,
    /// Number of texts that could have been truncated, and number of those that were.
    pub texts: u32,
    pub truncated: u32,
}

impl From<TrainingStep> for NativeStepReport {
    fn from(TrainingStep { report, correct, texts, truncated }: TrainingStep) -> Self {
        Self {
            loss: f64::from(report.loss),
            gradient_norm: f64::from(report.gradient_norm),
            learning_rate: f64::from(report.rate),
            tokens: report.tokens as u32,
            correct: correct as u32,
            texts: texts as u32,
            truncated: truncated as u32,
        }
    }
}

impl NativeStepOptions {
    fn parse(&self) -> StepOptions {
        StepOptions {
            schedule: Schedule {
                rate: self.learning_rate as f32,
                warm_up_steps: u64::from(self.warm_up_steps),
                steps: u64::from(self.steps),
            },
            adam: AdamOptions { weight_decay: self.weight_decay as f32, ..AdamOptions::default() },
            dropout: self.dropout as f32,
            max_gradient_norm: (self.max_gradient_norm > 0.0).then_some(self.max_gradient_norm as f32),
            seed: u64::from(self.seed),
            threads: self.threads as usize,
            activation_bytes: (self.activation_memory as usize) << 20,
            bf16: self.bf16,
        }
    }
}

impl NativeReaderTrainingOptions {
    pub fn parse(&self) -> ReaderTrainingOptions {
        let config = reader_config(self.max_tokens, self.max_question_tokens);
        ReaderTrainingOptions { config, step: self.step.parse() }
    }
}

/// How the inputs of a reader are made: passages in windows, with titles.
pub fn reader_config(max_tokens: u32, max_question_tokens: u32) -> ReaderConfig {
    ReaderConfig {
        max_tokens: max_tokens as usize,
        max_question_tokens: max_question_tokens as usize,
        ..ReaderConfig::default()
    }
}

impl NativeEncoderTrainingOptions {
    pub fn parse(&self) -> CallResult<EncoderTrainingOptions> {
        let config = EncoderConfig {
            pooling: if choose("pooling", &self.pooling, ["cls", "mean"])? == 0 {
                Pooling::Cls
            } else {
                Pooling::Mean
            },
            normalize: self.normalize,
            max_tokens: self.max_tokens as usize,
            passage_form: match choose("passageForm", &self.passage_form, ["pair", "joined"])? {
                0 => PassageForm::Pair,
                _ => PassageForm::Joined,
            },
            token_types: match choose("tokenTypes", &self.token_types, ["segments", "zeros"])? {
                0 => TokenTypes::Segments,
                _ => TokenTypes::Zeros,
            },
        };
        let similarity = match choose("similarity", &self.similarity, ["dot", "cosine", "l2"])? {
            2 => Similarity::Euclidean,
            _ => Similarity::Dot,
        };
        let training = EncoderOptions {
            // Opening the model sets pooling and normalization.
            pooling: training::Pooling::FirstToken,
            normalizes: self.normalize,
            similarity,
            scale: (1.0 / self.temperature) as f32,
            loss: self
                .margin
                .map_or(Loss::NegativeLogLikelihood, |margin| Loss::Triplet { margin: margin as f32 }),
            step: self.step.parse(),
        };
        // The inner product of normalized vectors is the cosine.
        let similarity = if self.similarity == "l2" { "l2" } else { "dot" };
        let (similarity, passage_encoder) = (similarity.to_owned(), self.passage_encoder.clone());
        Ok(EncoderTrainingOptions { config, training, similarity, passage_encoder })
    }
}

/// Parses the precision of an ONNX file.
pub fn parse_precision(precision: &str) -> CallResult<Precision> {
    Ok(match choose("precision", precision, ["float32", "int8", "int8-reduced"])? {
        0 => Precision::Float32,
        1 => Precision::Int8(transformer::Bits::Eight),
        _ => Precision::Int8(transformer::Bits::Seven),
    })
}

/// Returns the position of a name among names.
fn choose<const N: usize>(what: &str, got: &str, names: [&str; N]) -> CallResult<usize> {
    let position = names.iter().position(|name| *name == got);
    position.ok_or_else(|| {
        Failure::argument(format!("{what}: expected one of {}, got \"{got}\"", names.join(", ")))
    })
}
