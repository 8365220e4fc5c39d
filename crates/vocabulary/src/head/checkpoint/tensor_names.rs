//! The names of a head's tensors in the checkpoints of different model families.

/// The names of a head's tensors in one family of models. A list has the names that one tensor may have; the first name
/// that occurs in the file is used.
#[derive(Debug)]
pub(crate) struct TensorNames {
    /// Name of the family, for error messages.
    pub family: &'static str,
    /// The dense layer, without `.weight` and `.bias`.
    pub dense: &'static str,
    /// The layer norm, without `.weight` and `.bias`.
    pub norms: &'static [&'static str],
    /// The weights of the decoder, which computes the logits.
    pub decoder: &'static [&'static str],
    /// The bias of the decoder.
    pub bias: &'static [&'static str],
    /// Whether the file may add a prefix such as `bert.cls.` to a name. With short names like `dense` it may not,
    /// because names of tensors outside the head end in the same way.
    pub allows_prefix: bool,
    /// The key in `config.json` that names the activation; `None` if the models of the family ignore it.
    pub activation: Option<&'static str>,
}

/// The word embeddings. If the decoder is tied to them, it has the same weights and is not stored.
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
    // In the code of these models, the head uses the exact GELU, whatever `config.json` says.
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
    // Files with a head alone.
    TensorNames {
        family: "stand-alone",
        dense: "dense",
        norms: &["layer_norm", "LayerNorm"],
        decoder: &["decoder.weight", EMBEDDINGS],
        // A decoder's bias mostly encodes how frequent each token is, so frequent tokens would rank high in every
        // projection. `bias_centred`, from which the frequencies were removed, is therefore preferred.
        bias: &["decoder.bias_centred", "decoder.bias", "bias"],
        allows_prefix: false,
        activation: Some("hidden_act"),
    },
];

impl TensorNames {
    /// Finds, in a list of tensor names, `name` itself or `name` after a prefix that ends in a period.
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
