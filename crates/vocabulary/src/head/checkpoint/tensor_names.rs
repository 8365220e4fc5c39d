//! The names of a head's tensors in the checkpoints of different model families.

/// The names in one family of models. Each list has the names that a tensor may have; the first one in the file is used.
#[derive(Debug)]
pub(crate) struct TensorNames {
    /// Name of the family, for error messages.
    pub family: &'static str,
    pub dense: &'static str,
    pub norms: &'static [&'static str],
    pub decoder: &'static [&'static str],
    pub bias: &'static [&'static str],
    /// Whether a name may have a prefix such as `bert.cls.`. Names without a family are too common for that.
    pub allows_prefix: bool,
    /// The key of `config.json` with the name of the activation, if the family's code reads one.
    pub activation: Option<&'static str>,
}

/// The word embeddings, with which a tied decoder shares its weights.
const EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

/// The families, in the order in which they are tried.
pub(crate) static FAMILIES: [TensorNames; 4] = [
    TensorNames {
        family: "BERT",
        dense: "predictions.transform.dense",
        norms: &["predictions.transform.LayerNorm"],
        decoder: &["predictions.decoder.weight", EMBEDDINGS],
        bias: &["predictions.bias", "predictions.decoder.bias"],
        allows_prefix: true,
        activation: Some("hidden_act"),
    },
    // The code of these models uses the exact GELU whatever their configuration says.
    TensorNames {
        family: "RoBERTa or MPNet",
        dense: "lm_head.dense",
        norms: &["lm_head.layer_norm"],
        decoder: &["lm_head.decoder.weight", EMBEDDINGS],
        bias: &["lm_head.bias", "lm_head.decoder.bias"],
        allows_prefix: true,
        activation: None,
    },
    TensorNames {
        family: "DistilBERT",
        dense: "vocab_transform",
        norms: &["vocab_layer_norm"],
        decoder: &["vocab_projector.weight", EMBEDDINGS],
        bias: &["vocab_projector.bias"],
        allows_prefix: true,
        activation: Some("activation"),
    },
    TensorNames {
        family: "a head alone",
        dense: "dense",
        norms: &["layer_norm", "LayerNorm"],
        decoder: &["decoder.weight", EMBEDDINGS],
        // The bias mostly says how frequent a token is, which hides what a vector is about. A bias from which that was
        // removed is preferred.
        bias: &["decoder.bias_centred", "decoder.bias", "bias"],
        allows_prefix: false,
        activation: Some("hidden_act"),
    },
];

impl TensorNames {
    /// The tensor with this name, or with a prefix that ends in a full stop before it.
    pub fn find<'a>(&self, name: &str, tensors: &'a [String]) -> Option<&'a str> {
        let has_name = |tensor: &&'a String| {
            let prefix = tensor.strip_suffix(name);
            prefix.is_some_and(|prefix| prefix.is_empty() || (self.allows_prefix && prefix.ends_with('.')))
        };
        tensors.iter().find(has_name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_with_and_without_a_prefix() {
        let tensors = ["bert.cls.predictions.bias", "apredictions.bias", "x.dense.weight"].map(str::to_owned);
        assert_eq!(FAMILIES[0].find("predictions.bias", &tensors), Some("bert.cls.predictions.bias"));
        assert_eq!(FAMILIES[0].find("predictions.bias", &tensors[1..]), None);
        assert_eq!(FAMILIES[3].find("dense.weight", &tensors), None);
    }
}
