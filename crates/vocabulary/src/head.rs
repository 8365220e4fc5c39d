use std::path::{Path, PathBuf};

use kernels::Kernels;
use serde_json::Value;

use crate::names::{FAMILIES, Names};
use crate::tensors::{Tensor, Tensors};
use crate::{Activation, Error};

/// Where the tensors of a model's folder may be; the first that is there is read.
const FILES: [&str; 2] = ["mlm_head.safetensors", "model.safetensors"];
/// What BERT, RoBERTa and MPNet add to a variance unless their configuration says otherwise.
const EPSILON: f64 = 1e-12;
/// Rows that are transformed at once.
const BLOCK_ROWS: usize = 64;

/// A masked-language-model head: g(e) = LayerNorm(GELU(W e + c)), logits = E g(e) + b (Devlin et al., 2019, "BERT").
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    pub(crate) dim: usize,
    pub(crate) inner: usize,
    pub(crate) vocabulary: usize,
    /// W, `[inner, dim]`.
    pub(crate) dense_weight: Vec<f32>,
    /// c, `[inner]`.
    pub(crate) dense_bias: Vec<f32>,
    pub(crate) activation: Activation,
    /// `[inner]`
    pub(crate) norm_weight: Vec<f32>,
    /// `[inner]`
    pub(crate) norm_bias: Vec<f32>,
    /// Added to the variance.
    pub(crate) norm_epsilon: f64,
    /// E, `[vocabulary, inner]`.
    pub(crate) decoder: Vec<f32>,
    /// b, `[vocabulary]`.
    pub(crate) bias: Vec<f32>,
}

impl Head {
    /// Reads the head of the model in a folder: `mlm_head.safetensors` or `model.safetensors`, with the names of BERT
    /// (`cls.predictions.*`), RoBERTa and MPNet (`lm_head.*`), DistilBERT (`vocab_*`) or bare ones (`dense`, `layer_norm`,
    /// `decoder`); numbers of 16 bits become `f32`. A decoder that is not there is the word embeddings. Activation and
    /// epsilon are those of `config.json`, else of the file's own notes, else GELU and 1e-12.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] where a part is missing or of another shape than the others ask for.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = Self::file(folder)?;
        let mut tensors = Tensors::open(&path)?;
        let names = tensors.names();
        let dense = |family: &&Names| family.find(&format!("{}.weight", family.dense), &names).is_some();
        let Some(family) = FAMILIES.iter().find(dense) else {
            let families: Vec<String> = FAMILIES
                .iter()
                .map(|family| format!("{}.weight ({})", family.dense, family.family))
                .collect();
            let expected = format!("a masked-language-model head with {}", families.join(", "));
            return Err(Error::format(&path, expected, listed(&names)));
        };
        let (activation, epsilon) = settings(folder, family, &tensors)?;
        let mut part = |candidates: &[String]| {
            let Some(name) = candidates.iter().find_map(|name| family.find(name, &names)) else {
                let expected = format!("{} of a {} head", candidates.join(" or "), family.family);
                return Err(Error::format(&path, expected, listed(&names)));
            };
            Ok((name.to_owned(), tensors.read(name)?))
        };
        let dense = part(&[format!("{}.weight", family.dense)])?;
        let &[inner, dim] = &dense.1.shape[..] else {
            let expected = format!("a tensor {} of shape [inner, dim]", dense.0);
            return Err(Error::format(&path, expected, format!("{:?}", dense.1.shape)));
        };
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        // Those that were converted from TensorFlow call weight and bias gamma and beta.
        let norm = |ends: [&str; 2]| -> Vec<String> {
            let names = family.norms.iter();
            names.flat_map(|norm| ends.map(|end| format!("{norm}.{end}"))).collect()
        };
        let decoder = part(&owned(family.decoder))?;
        let vocabulary = decoder.1.shape.first().copied().unwrap_or(0);
        let sized = |(name, tensor): (String, Tensor), shape: &[usize]| {
            if tensor.shape != shape || shape.contains(&0) {
                let expected = format!("a tensor {name} of shape {shape:?}");
                return Err(Error::format(&path, expected, format!("{:?}", tensor.shape)));
            }
            Ok(tensor.values)
        };
        let bias = part(&owned(family.bias));
        let mut bias = bias.and_then(|bias| sized(bias, &[vocabulary]))?;
        // No −0: a logit has the same bits then, whichever kernel made its product.
        bias.iter_mut().for_each(|bias| *bias += 0.0);
        Ok(Self {
            dim,
            inner,
            vocabulary,
            dense_weight: sized(dense, &[inner, dim])?,
            dense_bias: sized(part(&[format!("{}.bias", family.dense)])?, &[inner])?,
            activation,
            norm_weight: sized(part(&norm(["weight", "gamma"]))?, &[inner])?,
            norm_bias: sized(part(&norm(["bias", "beta"]))?, &[inner])?,
            norm_epsilon: epsilon,
            decoder: sized(decoder, &[vocabulary, inner])?,
            bias,
        })
    }

    /// The file that [`open`](Self::open) reads tensors from.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] if the folder has none.
    pub fn file(folder: &Path) -> Result<PathBuf, Error> {
        FILES.iter().map(|name| folder.join(name)).find(|path| path.is_file()).ok_or_else(|| {
            Error::format(folder, format!("a folder with {}", FILES.join(" or ")), "none there")
        })
    }

    /// Numbers of a vector that is projected.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Numbers of a vector that the decoder takes; as many as [`dim`](Self::dim) in most models.
    #[must_use]
    pub fn inner_dim(&self) -> usize {
        self.inner
    }

    /// Tokens of the vocabulary.
    #[must_use]
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary
    }

    /// The decoder's row of every token, `[vocabulary, inner_dim]`: the word embeddings of most models.
    #[must_use]
    pub fn decoder(&self) -> &[f32] {
        &self.decoder
    }

    /// The decoder's bias of every token.
    #[must_use]
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// g(e) of each of the vectors `[rows, dim]`: `[rows, inner_dim]`. Sums of the layer norm are of double precision; a
    /// row's numbers do not depend on the others.
    ///
    /// # Panics
    ///
    /// If the vectors are not of the head's dimension.
    #[must_use]
    pub fn transform(&self, vectors: &[f32]) -> Vec<f32> {
        let (dim, inner) = (self.dim, self.inner);
        let got = vectors.len();
        assert!(got.is_multiple_of(dim), "transform: expected vectors of dimension {dim}, got {got} values");
        let mut transformed = vec![0.0; got / dim * inner];
        let blocks = vectors.chunks(BLOCK_ROWS * dim).zip(transformed.chunks_mut(BLOCK_ROWS * inner));
        for (vectors, block) in blocks {
            Kernels::detect().score_block(dim, vectors, &self.dense_weight, block);
            for row in block.chunks_exact_mut(inner) {
                for (value, &bias) in row.iter_mut().zip(&self.dense_bias) {
                    *value = self.activation.value(f64::from(*value) + f64::from(bias)) as f32;
                }
                self.normalise(row);
            }
        }
        transformed
    }

    /// The layer norm (Ba et al., 2016, "Layer Normalization") of one row, in place.
    fn normalise(&self, row: &mut [f32]) {
        let count = row.len() as f64;
        let mean = row.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
        let variance = row.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>() / count;
        let scale = 1.0 / (variance + self.norm_epsilon).sqrt();
        for ((value, &weight), &bias) in row.iter_mut().zip(&self.norm_weight).zip(&self.norm_bias) {
            let normal = (f64::from(*value) - mean) * scale;
            *value = (normal * f64::from(weight) + f64::from(bias)) as f32;
        }
    }
}

/// The activation, and what is added to a variance.
fn settings(folder: &Path, family: &Names, tensors: &Tensors) -> Result<(Activation, f64), Error> {
    let path = folder.join("config.json");
    let config = match std::fs::read(&path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| Error::format(&path, "JSON", error.to_string()))?
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Value::Null,
        Err(error) => return Err(Error::io("open", &path)(error)),
    };
    let name = family.activation.map(|key| {
        let note = || tensors.note("activation").map_or(Value::Null, Value::from);
        (key, config.get(key).cloned().unwrap_or_else(note))
    });
    let activation = match name {
        None | Some((_, Value::Null)) => Activation::Gelu,
        Some((key, value)) => value.as_str().and_then(Activation::named).ok_or_else(|| {
            let expected = format!("{key} to be gelu, gelu_new, gelu_fast or gelu_pytorch_tanh");
            Error::format(folder, expected, value.to_string())
        })?,
    };
    let note = || tensors.note("layer_norm_eps").map_or(Value::Null, Value::from);
    let epsilon = match config.get("layer_norm_eps").cloned().unwrap_or_else(note) {
        Value::Null => EPSILON,
        value => {
            let number = value.as_f64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
            let positive = number.filter(|epsilon| epsilon.is_finite() && *epsilon > 0.0);
            positive.ok_or_else(|| {
                Error::format(folder, "layer_norm_eps to be a number above 0", value.to_string())
            })?
        }
    };
    Ok((activation, epsilon))
}

/// Names for a message: those of a whole checkpoint would fill a page.
fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown} and {} more", names.len() - MOST) } else { shown }
}
