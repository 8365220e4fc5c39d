//! Reads models of the architecture of BERT from ONNX files, and runs those that are recognized.
#![no_main]

use std::path::Path;

use fuzz::{Scratch, checked, start};
use libfuzzer_sys::fuzz_target;
use transformer::{Model, Text, onnx};

/// Returns the ONNX files of the tests of `crates/vocabulary`, which are models of several exporters, with the scores
/// of all tokens as output, and those of the tests of `crates/transformer`.
fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut paths = Vec::new();
    for folder in ["vocabulary/tests/files", "transformer/tests/files"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        paths.extend(entries.map(|entry| entry.expect("a file").path()));
    }
    paths.sort();
    let graphs = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "onnx"));
    graphs.map(|path| std::fs::read(path).expect("a file")).collect()
}

fn use_all(path: &Path) {
    let Ok(weights) = onnx::read(path) else { return };
    let Ok(model) = Model::new(weights) else { return };
    let outputs: Vec<usize> = (0..model.outputs().len()).collect();
    let text = Text { ids: &[0], type_0_count: 1 };
    if let Ok(values) = model.run(&[text, text], &outputs, false) {
        for values in values {
            assert_eq!(values.data.len(), 2 * values.dim);
            let (first, second) = values.data.split_at(values.dim);
            let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(first), bits(second));
        }
    }
}

fuzz_target!(
    init: start(seeds),
    |data: &[u8]| {
        thread_local!(static SCRATCH: Scratch = Scratch::new());
        let path = SCRATCH.with(|scratch| scratch.write("model.onnx", data));
        checked(data.len(), || use_all(&path));
    }
);
