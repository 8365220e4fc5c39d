//! Single-token enrichments, and what they make of the vectors of texts.

use std::path::Path;
use std::sync::Arc;

use ::vocabulary::{
    Adam, EnrichOptions, EvenEnrichments, Lexicon, Start, Whitening, add_lexical, cache_file, enrich,
    enrich_evenly, identity, inverse_document_frequency, whiten,
};
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object, Uint32Array};
use napi_derive::napi;
use tokenize::Tokenizer;

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::sparse::NativeBm25Index;
use crate::task::{Outcome, spawn};
use crate::vocabulary::NativeProjection;

#[napi(object)]
pub struct NativeEnrichOptions {
    /// `zero` or `static`.
    pub start: String,
    pub learning_rate: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
    pub loss: f64,
    pub min_steps: u32,
    pub max_steps: u32,
    /// Whether all tokens take the same number of steps; otherwise each stops by itself.
    pub even: bool,
    pub threads: u32,
}

impl NativeEnrichOptions {
    fn parse(&self) -> Outcome<EnrichOptions> {
        let start = match self.start.as_str() {
            "zero" => Start::Zero,
            "static" => Start::Static,
            other => {
                return Err(Failure::argument(format!("start: expected zero or static, got \"{other}\"")));
            }
        };
        let Self { learning_rate, beta1, beta2, epsilon, .. } = *self;
        Ok(EnrichOptions {
            start,
            adam: Adam { learning_rate, beta1, beta2, epsilon },
            loss: self.loss as f32,
            min_steps: self.min_steps,
            max_steps: self.max_steps,
            threads: self.threads as usize,
        })
    }
}

/// A vector for every token of a vocabulary.
#[napi]
pub struct NativeTokenVectors {
    vectors: Arc<Vec<f32>>,
    dim: usize,
    identity: String,
    losses: Vec<f32>,
    bounds: Vec<f32>,
    steps: Vec<u32>,
}

/// Enrichments of a head; kept in the folder `cache`, if any, in files named by head and options.
#[napi(ts_return_type = "Promise<NativeTokenVectors>", catch_unwind)]
pub fn find_enrichments<'env>(
    env: &'env Env,
    projection: &NativeProjection,
    options: NativeEnrichOptions,
    cache: Option<String>,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let (head, control) = (Arc::clone(&projection.head), or_new(control));
    spawn(env, move || {
        let even = options.even;
        let options = options.parse()?;
        let folder = cache.as_deref().map(Path::new);
        let EvenEnrichments { enrichments: found, options } = if even {
            enrich_evenly(&head, &options, folder, &control)?
        } else {
            let file = folder.map(|folder| cache_file(folder, &head, &options));
            EvenEnrichments { enrichments: enrich(&head, &options, file.as_deref(), &control)?, options }
        };
        Ok(NativeTokenVectors {
            vectors: Arc::new(found.vectors),
            dim: found.dim,
            identity: identity(&head, &options),
            losses: found.losses,
            bounds: found.bounds,
            steps: found.steps,
        })
    })
}

/// The rows of a head's decoder.
#[napi(ts_return_type = "Promise<NativeTokenVectors>", catch_unwind)]
pub fn static_embeddings<'env>(env: &'env Env, projection: &NativeProjection) -> napi::Result<Object<'env>> {
    let head = Arc::clone(&projection.head);
    spawn(env, move || {
        if head.inner_dim() != head.dim() {
            let (dim, got) = (head.dim(), head.inner_dim());
            let message = format!("tokens: expected a decoder of the vectors' dimension {dim}, got {got}");
            return Err(Failure::argument(message));
        }
        Ok(NativeTokenVectors {
            vectors: Arc::new(head.decoder().to_vec()),
            dim: head.dim(),
            identity: format!("static-{}", head.identity()),
            losses: Vec::new(),
            bounds: Vec::new(),
            steps: Vec::new(),
        })
    })
}

#[napi]
impl NativeTokenVectors {
    #[napi(getter, catch_unwind)]
    pub fn dim(&self) -> u32 {
        self.dim as u32
    }

    #[napi(getter, catch_unwind)]
    pub fn identity(&self) -> String {
        self.identity.clone()
    }

    #[napi(catch_unwind)]
    pub fn losses(&self) -> Float32Array {
        self.losses.clone().into()
    }

    #[napi(catch_unwind)]
    pub fn bounds(&self) -> Float32Array {
        self.bounds.clone().into()
    }

    #[napi(catch_unwind)]
    pub fn steps(&self) -> Uint32Array {
        self.steps.clone().into()
    }
}

/// How many passages have each piece of a tokenizer.
#[napi]
pub struct NativePieceCounts {
    tokenizer: Arc<Tokenizer>,
    passages: u64,
    with: Vec<u64>,
}

/// The pieces of some texts, each once a text.
#[napi]
pub struct NativePieces {
    pieces: Vec<Vec<u32>>,
}

#[napi]
impl NativePieceCounts {
    #[napi(constructor, catch_unwind)]
    pub fn new(projection: &NativeProjection) -> Self {
        let tokenizer = Arc::clone(&projection.tokenizer);
        let with = vec![0; tokenizer.vocabulary_size()];
        Self { tokenizer, passages: 0, with }
    }

    #[napi(ts_return_type = "Promise<NativePieces>", catch_unwind)]
    pub fn pieces<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        titles: Vec<String>,
    ) -> napi::Result<Object<'env>> {
        let tokenizer = Arc::clone(&self.tokenizer);
        spawn(env, move || {
            let mut pieces = tokens(&tokenizer, &texts, &titles)?;
            for pieces in &mut pieces {
                pieces.sort_unstable();
                pieces.dedup();
            }
            Ok(NativePieces { pieces })
        })
    }

    #[napi(catch_unwind)]
    pub fn count(&mut self, pieces: &NativePieces) {
        for &piece in pieces.pieces.iter().flatten() {
            self.with[piece as usize] += 1;
        }
        self.passages += pieces.pieces.len() as u64;
    }

    /// The inverse document frequency of every piece.
    #[napi(catch_unwind)]
    pub fn weights(&self) -> Float32Array {
        weights((self.passages, &self.with))
    }
}

/// The inverse document frequency of every piece of a tokenizer in an index of the same pieces.
#[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
pub fn piece_weights_in<'env>(
    env: &'env Env,
    index: &NativeBm25Index,
    projection: &NativeProjection,
) -> napi::Result<Object<'env>> {
    let (counts, tokenizer) = (index.piece_counts(), Arc::clone(&projection.tokenizer));
    spawn(env, move || {
        let (passages, with) = counts?(&tokenizer)?;
        Ok(weights((passages, &with)))
    })
}

/// Weights of pieces by their names; of all others 0.
#[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
pub fn piece_weights_of<'env>(
    env: &'env Env,
    projection: &NativeProjection,
    pieces: Vec<String>,
    weights: &[f32],
) -> napi::Result<Object<'env>> {
    let (tokenizer, weights) = (Arc::clone(&projection.tokenizer), weights.to_vec());
    spawn(env, move || {
        let mut of = vec![0.0; tokenizer.vocabulary_size()];
        for (piece, weight) in pieces.iter().zip(weights) {
            let id = tokenizer.piece_id(piece).ok_or_else(|| {
                Failure::argument(format!(
                    "idf: expected word pieces of the head's tokenizer, got \"{piece}\""
                ))
            })?;
            of[id as usize] = weight;
        }
        Ok(Float32Array::from(of))
    })
}

/// Makes lexical vectors of texts.
#[napi]
pub struct NativeLexicon {
    lexicon: Arc<Lexicon>,
    tokenizer: Arc<Tokenizer>,
}

/// `whitening` is `principal`, `aligned` or none; `weights` are those of pieces, all 1 if none.
#[napi(ts_return_type = "Promise<NativeLexicon>", catch_unwind)]
pub fn open_lexicon<'env>(
    env: &'env Env,
    tokens: &NativeTokenVectors,
    projection: &NativeProjection,
    weights: Option<Float32Array>,
    whitening: Option<String>,
    unit: bool,
) -> napi::Result<Object<'env>> {
    let (vectors, dim) = (Arc::clone(&tokens.vectors), tokens.dim);
    let weights = weights.map(|weights| weights.to_vec());
    let tokenizer = Arc::clone(&projection.tokenizer);
    spawn(env, move || {
        let (pieces, rows) = (tokenizer.vocabulary_size(), vectors.len() / dim);
        if pieces > rows {
            let message = format!("projection: expected at most the {rows} tokens of the head, got {pieces}");
            return Err(Failure::new("ERR_MODEL", message));
        }
        let mut vectors = vectors.to_vec();
        match whitening.as_deref() {
            None => {}
            Some("principal") => whiten(&mut vectors, dim, Whitening::Principal),
            Some("aligned") => whiten(&mut vectors, dim, Whitening::Aligned),
            Some(other) => {
                let message = format!("whitening: expected principal, aligned or false, got \"{other}\"");
                return Err(Failure::argument(message));
            }
        }
        // Heads are padded to round sizes; texts have no such tokens.
        let weights = weights.map(|mut weights| {
            weights.resize(rows, 0.0);
            weights
        });
        let lexicon = Arc::new(Lexicon::new(dim, vectors, weights, unit)?);
        Ok(NativeLexicon { lexicon, tokenizer })
    })
}

#[napi]
impl NativeLexicon {
    /// `vectors`, `[texts, dim]`, with λ times the lexical vector of each text added, and scaled to length 1 with `renormalize`.
    /// An empty title is none.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    #[allow(clippy::too_many_arguments, reason = "columns cross one by one")]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        texts: Vec<String>,
        titles: Vec<String>,
        vectors: &[f32],
        lambda: f64,
        renormalize: bool,
    ) -> napi::Result<Object<'env>> {
        let (lexicon, tokenizer) = (Arc::clone(&self.lexicon), Arc::clone(&self.tokenizer));
        let mut vectors = vectors.to_vec();
        spawn(env, move || {
            if vectors.len() != texts.len() * lexicon.dim() {
                return Err(Failure::argument("vectors: expected one for each text"));
            }
            lexicon.add(&self::tokens(&tokenizer, &texts, &titles)?, lambda, renormalize, &mut vectors)?;
            Ok(Float32Array::from(vectors))
        })
    }

    /// As `add`, of lexical vectors that were computed before.
    #[napi(ts_return_type = "Promise<Float32Array>", catch_unwind)]
    pub fn add_lexical<'env>(
        &self,
        env: &'env Env,
        vectors: &[f32],
        lexical: &[f32],
        lambda: f64,
        renormalize: bool,
    ) -> napi::Result<Object<'env>> {
        let dim = self.lexicon.dim();
        let (mut vectors, lexical) = (vectors.to_vec(), lexical.to_vec());
        spawn(env, move || {
            if vectors.len() != lexical.len() || !vectors.len().is_multiple_of(dim) {
                return Err(Failure::argument("lexical: expected one vector for each of the vectors"));
            }
            add_lexical(&mut vectors, &lexical, dim, lambda, renormalize);
            Ok(Float32Array::from(vectors))
        })
    }
}

/// The word pieces of texts behind their titles.
fn tokens(tokenizer: &Tokenizer, texts: &[String], titles: &[String]) -> Outcome<Vec<Vec<u32>>> {
    let titles = titles.iter().map(String::as_str).chain(std::iter::repeat(""));
    let pieces = texts.iter().zip(titles).map(|(text, title)| match title {
        "" => tokenizer.pieces(text),
        title => tokenizer.pieces(&format!("{title} {text}")),
    });
    Ok(pieces.map(|pieces| pieces.map(|pieces| pieces.ids)).collect::<Result<_, _>>()?)
}

fn weights((passages, with): (u64, &[u64])) -> Float32Array {
    let weights: Vec<f32> = with.iter().map(|&with| inverse_document_frequency(passages, with)).collect();
    weights.into()
}
