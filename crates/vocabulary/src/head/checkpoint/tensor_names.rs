//! What the parts of a head are called in the checkpoints of different models.

/// The names of one family of models. Each list has the names that a part may have; the first that is there counts.
#[derive(Debug)]
pub(crate) struct TensorNames {
    /// For messages.
    pub family: &'static str,
    pub dense: &'static str,
    pub norms: &'static [&'static str],
    pub decoder: &'static [&'static str],
    pub bias: &'static [&'static str],
    /// Whether other parts of a model may stand before a name: those of no family are too plain for that.
    pub with_prefix: bool,
    /// The key of `config.json` that names the activation, where the family's code looks at one.
    pub activation: Option<&'static str>,
}

/// What a tied decoder shares its weights with.
const EMBEDDINGS: &str = "embeddings.word_embeddings.weight";

/// In the order in which they are tried.
pub(crate) static FAMILIES: [TensorNames; 4] = [
    TensorNames {
        family: "BERT",
        dense: "predictions.transform.dense",
        norms: &["predictions.transform.LayerNorm"],
        decoder: &["predictions.decoder.weight", EMBEDDINGS],
        bias: &["predictions.bias", "predictions.decoder.bias"],
        with_prefix: true,
        activation: Some("hidden_act"),
    },
    // Their code calls the exact GELU whatever the configuration says.
    TensorNames {
        family: "RoBERTa or MPNet",
        dense: "lm_head.dense",
        norms: &["lm_head.layer_norm"],
        decoder: &["lm_head.decoder.weight", EMBEDDINGS],
        bias: &["lm_head.bias", "lm_head.decoder.bias"],
        with_prefix: true,
        activation: None,
    },
    TensorNames {
        family: "DistilBERT",
        dense: "vocab_transform",
        norms: &["vocab_layer_norm"],
        decoder: &["vocab_projector.weight", EMBEDDINGS],
        bias: &["vocab_projector.bias"],
        with_prefix: true,
        activation: Some("activation"),
    },
    TensorNames {
        family: "a head alone",
        dense: "dense",
        norms: &["layer_norm", "LayerNorm"],
        decoder: &["decoder.weight", EMBEDDINGS],
        // What a bias has of how common a token is hides what a vector is about; where there is one without, it counts.
        bias: &["decoder.bias_centred", "decoder.bias", "bias"],
        with_prefix: false,
        activation: Some("hidden_act"),
    },
];

impl TensorNames {
    /// The tensor of that name, or the one that ends with it after a full stop.
    pub fn find<'a>(&self, name: &str, tensors: &'a [String]) -> Option<&'a str> {
        let fits = |tensor: &&'a String| {
            let before = tensor.strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || (self.with_prefix && before.ends_with('.')))
        };
        tensors.iter().find(fits).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_with_and_without_what_stands_before_it() {
        let tensors = ["bert.cls.predictions.bias", "apredictions.bias", "x.dense.weight"].map(str::to_owned);
        assert_eq!(FAMILIES[0].find("predictions.bias", &tensors), Some("bert.cls.predictions.bias"));
        assert_eq!(FAMILIES[0].find("predictions.bias", &tensors[1..]), None);
        assert_eq!(FAMILIES[3].find("dense.weight", &tensors), None);
    }
}
