//! Heads for the tests of enrichment, and a search for enrichments whose options keep the tests short.

use std::path::Path;

use control::Control;
use safetensors::Dtype;
use vocabulary::{EnrichOptions, Enrichments, Head, enrich};

use super::Parts;

/// The tensor names of a BERT checkpoint, in the order of `Parts::values`.
const TENSOR_NAMES: [&str; 6] = [
    "cls.predictions.transform.dense.weight",
    "cls.predictions.transform.dense.bias",
    "cls.predictions.transform.LayerNorm.weight",
    "cls.predictions.transform.LayerNorm.bias",
    "cls.predictions.decoder.weight",
    "cls.predictions.bias",
];

/// Writes a head to a file and opens it.
pub fn open_head(parts: &Parts) -> Head {
    let folder = tempfile::tempdir().expect("a folder");
    super::write(&folder.path().join("model.safetensors"), &parts.named(TENSOR_NAMES), Dtype::F32);
    Head::open(folder.path()).expect("a head")
}

/// The default options, but with at most 300 steps and with two threads.
pub fn options() -> EnrichOptions {
    EnrichOptions { max_steps: 300, threads: 2, ..EnrichOptions::default() }
}

/// Finds the enrichments of a head. With a path, they are saved there.
pub fn find(head: &Head, options: &EnrichOptions, path: Option<&Path>) -> Enrichments {
    enrich(head, options, path, &Control::new()).expect("enrichments")
}

/// Weights of a head whose tokens have very different rows in the decoder, so that for each token there is a vector
/// that makes it likely.
pub fn separable_parts() -> Parts {
    let mut parts = Parts::new(8, 8, 50, 5);
    // The dense layer is nearly the identity, and its bias moves the activations to where GELU is nearly linear. The
    // transformed vector can therefore point in any direction.
    parts.values[1].iter_mut().for_each(|bias| *bias += 3.0);
    // A weight is on the diagonal of the 8 × 8 matrix if its position is a multiple of 9.
    parts.values[0]
        .iter_mut()
        .enumerate()
        .for_each(|(at, weight)| *weight = if at % 9 == 0 { 1.0 } else { *weight / 8.0 });
    // The layer norm multiplies by 12, so that logits can be far apart.
    parts.values[2].iter_mut().for_each(|weight| *weight = 12.0);
    // Center the decoder's rows and scale them to length 1. Each row then has a larger dot product with itself than
    // with any other row.
    for row in parts.values[4].chunks_exact_mut(8) {
        let mean = row.iter().sum::<f32>() / 8.0;
        row.iter_mut().for_each(|value| *value -= mean);
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
        row.iter_mut().for_each(|value| *value /= length);
    }
    parts
}

/// A head with 700 tokens, more than the 256 tokens of one block of the search. Some tokens need many steps.
pub fn large_head() -> Head {
    let mut parts = Parts::new(12, 12, 700, 11);
    parts.values[2].iter_mut().for_each(|weight| *weight = 6.0);
    open_head(&parts)
}
