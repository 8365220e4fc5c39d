//! The sizes of a model and other numbers that its configuration has: [`Sizes`].

use serde_json::{Map, Value};

use super::entries::Entries;
use super::{Architecture, Error};
use crate::weights::RelativePositionBiases;

/// The activation function GELU (Hendrycks and Gimpel, 2016), computed with erf.
const ACTIVATION: &str = "gelu";
/// The epsilon of all normalizations of DistilBERT, which its configuration does not contain. It is also the default of
/// the other architectures.
const DEFAULT_EPSILON: f64 = 1e-12;
/// The default number of rows of the table of token types.
const DEFAULT_TYPES: usize = 2;
/// The default token id of padding in RoBERTa.
const DEFAULT_ROBERTA_PADDING: usize = 1;
/// The entry with the number of buckets of MPNet's relative position biases.
const BUCKETS: &str = "relative_attention_num_buckets";

/// The sizes of a model and other numbers that its configuration has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sizes {
    /// Number of token ids.
    pub words: usize,
    /// Number of rows of the table of positions.
    pub positions: usize,
    /// The row of the first token in the table of positions.
    pub first_position: usize,
    /// Number of token types; `None` for DistilBERT and MPNet, which have no token types.
    pub types: Option<usize>,
    /// Dimension of the hidden states.
    pub dim: usize,
    /// Number of layers.
    pub layers: usize,
    /// Number of attention heads.
    pub heads: usize,
    /// Dimension of the hidden layer of feed-forward networks.
    pub intermediate: usize,
    /// The number that normalizations add to the variance.
    pub epsilon: f32,
}

impl Sizes {
    /// Reads the sizes of a configuration.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if a size is missing; [`Error::Unsupported`] if the model computes something that this
    /// crate cannot compute.
    pub fn of_entries(architecture: Architecture, entries: Entries<'_>) -> Result<Self, Error> {
        let keys = architecture.keys();
        entries.require(keys.activation, ACTIVATION)?;
        entries.require("position_embedding_type", "absolute")?;
        for key in ["is_decoder", "add_cross_attention"] {
            if !matches!(entries.values.get(key), None | Some(Value::Null | Value::Bool(false))) {
                return Err(entries.unsupported(key, "false"));
            }
        }
        if !matches!(entries.values.get("quantization_config"), None | Some(Value::Null)) {
            return Err(entries.unsupported("quantization_config", "a model of floats"));
        }
        // `transformers` ignores other numbers when it computes buckets.
        let expected = RelativePositionBiases::BUCKETS;
        if architecture.has_relative_position_biases()
            && entries.size_or(BUCKETS, Some(expected))? != expected
        {
            return Err(entries.unsupported(BUCKETS, expected.to_string()));
        }
        let first_position = match architecture.fixed_first_position() {
            Some(first_position) => first_position,
            None => {
                let padding = entries.size_or("pad_token_id", Some(DEFAULT_ROBERTA_PADDING))?;
                padding.checked_add(1).ok_or_else(|| entries.unsupported("pad_token_id", "a token id"))?
            }
        };
        let epsilon = match entries.values.get("layer_norm_eps") {
            None | Some(Value::Null) => DEFAULT_EPSILON,
            _ if Self::fixed_epsilon(architecture).is_some() => DEFAULT_EPSILON,
            Some(value) => value
                .as_f64()
                .filter(|&value| (0.0..1.0).contains(&value))
                .ok_or_else(|| entries.malformed("layer_norm_eps", "a number between 0 and 1"))?,
        };
        let sizes = Self {
            words: entries.size_or("vocab_size", None)?,
            positions: entries.size_or("max_position_embeddings", None)?,
            first_position,
            types: match architecture.has_types() {
                true => Some(entries.size_or("type_vocab_size", Some(DEFAULT_TYPES))?),
                false => None,
            },
            dim: entries.size_or(keys.dim, None)?,
            layers: entries.size_or(keys.layers, None)?,
            heads: entries.size_or(keys.heads, None)?,
            intermediate: entries.size_or(keys.intermediate, None)?,
            epsilon: epsilon as f32,
        };
        if sizes.heads == 0 || !sizes.dim.is_multiple_of(sizes.heads) {
            return Err(entries.malformed(keys.heads, format!("a divisor of {}", sizes.dim)));
        }
        Ok(sizes)
    }

    /// Sets the entries of a configuration that follow from the architecture and the sizes.
    pub fn set_entries(&self, architecture: Architecture, values: &mut Map<String, Value>) {
        let keys = architecture.keys();
        let mut set = |key: &str, value: Value| drop(values.insert(key.to_owned(), value));
        set("model_type", architecture.model_type().into());
        set(keys.activation, ACTIVATION.into());
        set("vocab_size", self.words.into());
        set("max_position_embeddings", self.positions.into());
        set(keys.dim, self.dim.into());
        set(keys.layers, self.layers.into());
        set(keys.heads, self.heads.into());
        set(keys.intermediate, self.intermediate.into());
        if architecture.fixed_first_position().is_none() {
            set("pad_token_id", self.first_position.saturating_sub(1).into());
        }
        if let Some(types) = self.types {
            set("type_vocab_size", types.into());
        }
        if architecture.has_relative_position_biases() {
            set(BUCKETS, RelativePositionBiases::BUCKETS.into());
        }
        if Self::fixed_epsilon(architecture).is_none() {
            let old = values.get("layer_norm_eps").and_then(Value::as_f64);
            // Keeps the digits of an entry that stands for the same float.
            if old.is_none_or(|old| old as f32 != self.epsilon) {
                values.insert("layer_norm_eps".to_owned(), shortest(self.epsilon).into());
            }
        }
    }

    /// The factor of the products of queries and keys: 1 / √(dimension of a head).
    pub fn attention_scale(&self) -> f32 {
        (1.0 / ((self.dim / self.heads) as f64).sqrt()) as f32
    }

    /// The epsilon of the normalizations of an architecture whose configuration does not contain it.
    pub fn fixed_epsilon(architecture: Architecture) -> Option<f32> {
        (architecture == Architecture::DistilBert).then_some(DEFAULT_EPSILON as f32)
    }
}

/// The 64-bit float with the fewest decimal digits that stands for a 32-bit float: 1e-12 instead of
/// 9.999999960041972e-13.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epsilon_is_written_with_the_digits_that_people_write() {
        assert_eq!(shortest(1e-12_f32).to_string(), 1e-12_f64.to_string());
        assert_eq!(shortest(1e-5_f32), 1e-5_f64);
        assert_eq!(shortest(0.1_f32) as f32, 0.1_f32);
    }
}
