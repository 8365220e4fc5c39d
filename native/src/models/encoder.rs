//! Encoders, which convert texts to vectors.

use std::sync::Arc;

use inference::{
    EncodeOptions, Encoder, EncoderConfig, EncoderInput, PassageForm, Pooling, Runtime, TokenTypes,
};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object};
use napi_derive::napi;

use super::model_files::{ModelFiles, runtime_name};
use crate::call::{CallResult, Control, Failure, control_or_new, spawn};

/// How texts become vectors.
#[napi(object)]
pub struct NativeEncoderOptions {
    /// How token vectors become the text's vector: `cls`, `mean`, or `output:NAME` if the model does the pooling and
    /// returns the vector as its output NAME.
    pub pooling: String,
    /// Whether vectors are scaled to length 1.
    pub normalize: bool,
    /// Maximum number of tokens of a text, special tokens included.
    pub max_tokens: u32,
    /// How title and text become one input: `pair` (with `[SEP]` between them) or `joined` (with a space between them).
    pub passage_form: String,
    /// The token types of a pair: `segments` (0 for the title, 1 for the text) or `zeros`.
    pub token_types: String,
}

/// An open encoder.
#[napi]
pub struct NativeEncoder {
    /// `None` once the encoder is closed.
    inner: Option<Arc<Encoder>>,
    dim: u32,
    runtime: Runtime,
}

impl NativeEncoder {
    /// Returns the encoder. Fails with `ERR_CLOSED` if it is closed.
    pub fn encoder(&self) -> CallResult<Arc<Encoder>> {
        self.inner.clone().ok_or_else(|| Failure::closed("encoder"))
    }
}

/// Opens a model as an encoder.
#[napi(ts_return_type = "Promise<NativeEncoder>", catch_unwind)]
pub fn open_encoder<'env>(
    env: &'env Env,
    files: ModelFiles,
    options: NativeEncoderOptions,
) -> napi::Result<Object<'env>> {
    spawn(env, move || {
        let pooling = match options.pooling.as_str() {
            "cls" => Pooling::Cls,
            "mean" => Pooling::Mean,
            other => match other.strip_prefix("output:") {
                Some(name) => Pooling::Output(name.to_owned()),
                None => {
                    return Err(Failure::argument(format!(
                        "pooling: expected cls, mean or output:NAME, got \"{other}\""
                    )));
                }
            },
        };
        let passage_form = match options.passage_form.as_str() {
            "pair" => PassageForm::Pair,
            "joined" => PassageForm::Joined,
            other => {
                return Err(Failure::argument(format!(
                    "passageForm: expected pair or joined, got \"{other}\""
                )));
            }
        };
        let token_types = match options.token_types.as_str() {
            "segments" => TokenTypes::Segments,
            "zeros" => TokenTypes::Zeros,
            other => {
                return Err(Failure::argument(format!(
                    "tokenTypes: expected segments or zeros, got \"{other}\""
                )));
            }
        };
        let (session, tokenizer) = files.open()?;
        let max_tokens = options.max_tokens as usize;
        let config =
            EncoderConfig { pooling, normalize: options.normalize, max_tokens, passage_form, token_types };
        let encoder = Encoder::new(session, tokenizer, config)?;
        let (dim, runtime) = (encoder.dim() as u32, encoder.runtime());
        Ok(NativeEncoder { inner: Some(Arc::new(encoder)), dim, runtime })
    })
}

#[napi]
impl NativeEncoder {
    #[napi(getter, catch_unwind)]
    pub fn dim(&self) -> u32 {
        self.dim
    }

    /// What runs the model: `passagekit` or `onnxruntime`.
    #[napi(getter, catch_unwind)]
    pub fn runtime(&self) -> String {
        runtime_name(self.runtime)
    }

    /// Encodes texts to vectors `[texts, dim]`. An empty title means no title; `titles` may be empty if no text has
    /// one. A batch has at most `batchTokens` tokens, padding included. Error messages number the texts from `first`.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    #[allow(clippy::too_many_arguments)]
    pub fn encode<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        titles: Vec<String>,
        batch_tokens: u32,
        first: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let encoder = self.encoder();
        let control = control_or_new(control);
        spawn(env, move || {
            let encoder = encoder?;
            let titles = titles.iter().map(|title| Some(title.as_str())).chain(std::iter::repeat(None));
            let inputs: Vec<EncoderInput<'_>> =
                texts.iter().zip(titles).map(|(text, title)| EncoderInput { title, text }).collect();
            let options = EncodeOptions { batch_tokens: batch_tokens as usize, first_input: first as usize };
            Ok(Float32Array::from(encoder.encode(&inputs, &options, &control)?))
        })
    }

    /// Closes the encoder. Its memory is freed once calls in progress have finished.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.inner = None;
    }
}
