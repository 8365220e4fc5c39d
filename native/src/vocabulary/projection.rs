//! Maps vectors to distributions over a vocabulary with a masked-language-model head (Ram et al., 2023, "What Are You
//! Token About? Dense Retrieval as Distributions Over the Vocabulary").

use std::path::Path;
use std::sync::Arc;

use ::vocabulary::{Head, TokenRank, TokenScore};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Float64Array, Object, Uint32Array};
use napi_derive::napi;
use tokenize::Tokenizer;

use crate::call::{CallResult, Control, Failure, call_sync, control_or_new, spawn};

/// Lists of tokens: one list per vector, stored one after another.
#[napi(object)]
pub struct NativeTokens {
    /// Number of tokens of each vector.
    pub counts: Uint32Array,
    /// In a result of `project`, the ids of the tokens; in a result of `ranks`, the ranks of the tokens.
    pub numbers: Uint32Array,
    pub logits: Float32Array,
    pub probabilities: Float64Array,
}

impl NativeTokens {
    /// Converts one list of tokens per vector to columns. `to_row` returns the id or rank of a token (see `numbers`),
    /// its logit and its probability.
    fn of<T>(lists: &[Vec<T>], to_row: impl Fn(&T) -> (u32, f32, f64)) -> Self {
        let counts: Vec<u32> = lists.iter().map(|list| list.len() as u32).collect();
        let rows: Vec<(u32, f32, f64)> = lists.iter().flatten().map(to_row).collect();
        Self {
            counts: counts.into(),
            numbers: rows.iter().map(|&(number, ..)| number).collect::<Vec<_>>().into(),
            logits: rows.iter().map(|&(_, logit, _)| logit).collect::<Vec<_>>().into(),
            probabilities: rows.iter().map(|&(.., probability)| probability).collect::<Vec<_>>().into(),
        }
    }
}

/// A masked-language-model head, which maps a vector to one logit per token, with its tokenizer.
#[napi]
pub struct NativeProjection {
    pub(crate) head: Arc<Head>,
    pub(crate) tokenizer: Arc<Tokenizer>,
    files: Vec<String>,
}

/// Opens the head of the model in a folder. `tokenizer` is the path of the model's `tokenizer.json`.
#[napi(ts_return_type = "Promise<NativeProjection>", catch_unwind)]
pub fn open_projection(env: &Env, folder: String, tokenizer: String) -> napi::Result<Object<'_>> {
    spawn(env, move || {
        let folder = Path::new(&folder);
        let files = Head::files(folder)?.iter().map(|path| path.display().to_string()).collect();
        let tokenizer = Arc::new(Tokenizer::open(Path::new(&tokenizer))?);
        Ok(NativeProjection { head: Arc::new(Head::open(folder)?), tokenizer, files })
    })
}

/// Vectors `[rows, dim]`.
struct Rows {
    values: Vec<f32>,
    /// Index of the first row in the caller's list of vectors, for error messages. JavaScript passes a long list in
    /// several calls.
    first: u32,
}

impl Rows {
    /// Returns the values. Fails if one is not finite.
    fn checked(&self, dim: usize) -> CallResult<&[f32]> {
        match self.values.iter().position(|value| !value.is_finite()) {
            None => Ok(&self.values),
            Some(at) => Err(Failure::argument(format!(
                "vectors[{}]: expected finite numbers, got {}",
                self.first as usize + at / dim,
                self.values[at]
            ))),
        }
    }
}

#[napi]
impl NativeProjection {
    #[napi(getter, catch_unwind)]
    pub fn dim(&self) -> u32 {
        self.head.dim() as u32
    }

    /// Size of the vocabulary.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.head.vocabulary_size() as u32
    }

    /// The files that the weights of the head were read from.
    #[napi(getter, catch_unwind)]
    pub fn files(&self) -> Vec<String> {
        self.files.clone()
    }

    /// Returns the texts of the tokens with ids from `from` up to but not including `to`, in one string with U+0000
    /// between them. The text is empty for an id without a token.
    #[napi(catch_unwind)]
    pub fn texts(&self, from: u32, to: u32) -> napi::Result<String> {
        call_sync(|| {
            let texts: Vec<String> =
                (from..to).map(|id| self.tokenizer.piece_text(id).unwrap_or_default()).collect();
            Ok(texts.join("\0"))
        })
    }

    /// Returns the ids of the word pieces of a text.
    #[napi(catch_unwind)]
    pub fn tokenize(&self, text: String) -> napi::Result<Uint32Array> {
        call_sync(|| Ok(self.tokenizer.pieces(&text)?.ids.into()))
    }

    /// Returns the `k` most probable tokens of each vector. Error messages number the vectors from `first`.
    #[napi(ts_return_type = "Promise<NativeTokens>", catch_unwind)]
    pub fn project<'env>(
        &self,
        env: &'env Env,
        vectors: &[f32],
        first: u32,
        k: u32,
        threads: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (head, rows) = (Arc::clone(&self.head), Rows { values: vectors.to_vec(), first });
        let control = control_or_new(control);
        spawn(env, move || {
            let vectors = rows.checked(head.dim())?;
            let found = head.project(vectors, k as usize, threads as usize, &control)?;
            Ok(NativeTokens::of(&found, |&TokenScore { token, logit, probability }| {
                (token, logit, probability)
            }))
        })
    }

    /// Returns the ranks of tokens in the distribution of each vector. `tokens` has the ids for all vectors, one vector
    /// after another; `counts[i]` of them are for vector `i`.
    #[napi(ts_return_type = "Promise<NativeTokens>", catch_unwind)]
    #[allow(clippy::too_many_arguments, reason = "each column is an argument")]
    pub fn ranks<'env>(
        &self,
        env: &'env Env,
        vectors: &[f32],
        first: u32,
        tokens: &[u32],
        counts: &[u32],
        threads: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (head, rows) = (Arc::clone(&self.head), Rows { values: vectors.to_vec(), first });
        let (tokens, counts) = (tokens.to_vec(), counts.to_vec());
        let control = control_or_new(control);
        spawn(env, move || {
            let vectors = rows.checked(head.dim())?;
            let mut rest = &tokens[..];
            let mut lists = Vec::with_capacity(counts.len());
            for &count in &counts {
                let (list, after) = rest.split_at_checked(count as usize).ok_or_else(|| {
                    Failure::argument("tokens: expected as many as the counts say, got fewer")
                })?;
                lists.push(list);
                rest = after;
            }
            let found = head.ranks(vectors, &lists, threads as usize, &control)?;
            Ok(NativeTokens::of(&found, |&TokenRank { rank, logit, probability }| (rank, logit, probability)))
        })
    }

    /// Returns the logits or, with `probabilities`, the probabilities of all tokens: `[rows, size]`.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    pub fn logits<'env>(
        &self,
        env: &'env Env,
        vectors: &[f32],
        first: u32,
        probabilities: bool,
        threads: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (head, rows) = (Arc::clone(&self.head), Rows { values: vectors.to_vec(), first });
        let control = control_or_new(control);
        spawn(env, move || {
            let (vectors, threads) = (rows.checked(head.dim())?, threads as usize);
            let all = if probabilities {
                head.probabilities(vectors, threads, &control)?
            } else {
                head.logits(vectors, threads, &control)?
            };
            Ok(Float32Array::from(all))
        })
    }
}
