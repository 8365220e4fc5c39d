//! Opens masked-language-model heads from ONNX and safetensors files, and computes logits. The first byte of an input
//! selects the format.
#![no_main]

use std::path::Path;

use control::Control;
use fuzz::{Scratch, checked, start};
use libfuzzer_sys::fuzz_target;
use vocabulary::Head;

/// Maximum number of logits that are computed with one head. The size of the vocabulary comes from the mutated file.
const MAX_LOGITS: usize = 1 << 16;

/// The file names for the two formats.
const NAMES: [&str; 2] = ["mlm_head.onnx", "mlm_head.safetensors"];

/// Returns the ONNX files of the tests of `crates/vocabulary`, and a small safetensors file that is created here. Each
/// follows the byte that selects its format.
fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/vocabulary/tests/files");
    let entries = std::fs::read_dir(folder).expect("the files of the tests");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let graphs = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "onnx"));
    let graphs = graphs.map(|path| [&[0], &std::fs::read(path).expect("a file")[..]].concat());
    let tensors = [
        "dense.weight",
        "dense.bias",
        "layer_norm.weight",
        "layer_norm.bias",
        "decoder.weight",
        "decoder.bias",
    ];
    // The weights of `dense` and `decoder` are 2 × 2 matrices; each of the other tensors has two numbers.
    let entries = (0..6).map(|tensor| {
        let (name, shape) = (tensors[tensor], if tensor % 4 == 0 { "2,2" } else { "2" });
        let (from, to) = [(0, 16), (16, 24), (24, 32), (32, 40), (40, 56), (56, 64)][tensor];
        format!(r#""{name}":{{"dtype":"F32","shape":[{shape}],"data_offsets":[{from},{to}]}}"#)
    });
    let header = format!("{{{}}}", entries.collect::<Vec<_>>().join(","));
    let numbers: Vec<u8> = (0..16u8).flat_map(|at| f32::from(at).to_le_bytes()).collect();
    let length = (header.len() as u64).to_le_bytes();
    graphs.chain([[&[1], &length[..], header.as_bytes(), &numbers].concat()]).collect()
}

fn use_all(folder: &Path) {
    let files = Head::files(folder);
    let Ok(head) = Head::open(folder) else { return };
    assert!(files.is_ok_and(|files| !files.is_empty()));
    assert_eq!(head.decoder().len(), head.vocabulary_size() * head.inner_dim());
    assert_eq!(head.bias().len(), head.vocabulary_size());
    if head.vocabulary_size() <= MAX_LOGITS {
        let logits = head.logits(&vec![0.5; head.dim()], 1, &Control::new());
        assert!(logits.map_or(true, |logits| logits.len() == head.vocabulary_size()));
    }
}

fuzz_target!(
    init: start(seeds),
    |data: &[u8]| {
        let Some((&format, bytes)) = data.split_first() else { return };
        thread_local!(static SCRATCH: Scratch = Scratch::new());
        SCRATCH.with(|scratch| {
            let [name, other] = if format & 1 == 0 { NAMES } else { [NAMES[1], NAMES[0]] };
            let _ = std::fs::remove_file(scratch.path(other));
            let path = scratch.write(name, bytes);
            checked(bytes.len(), || use_all(path.parent().expect("the folder")));
        });
    }
);
