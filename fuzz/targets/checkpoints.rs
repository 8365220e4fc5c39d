//! Reads models in the format of Hugging Face's library, `config.json` and `model.safetensors`, and writes those that
//! are valid. An input is the length of the configuration in two bytes, the configuration, and the tensors.
#![no_main]

use std::path::Path;

use fuzz::{Scratch, checked, start};
use libfuzzer_sys::fuzz_target;
use transformer::hugging_face::{self, Architecture, Config, FloatFormat};
use transformer::{dequantize, onnx};

const CONFIG_FILE: &str = "config.json";
const MODEL_FILE: &str = "model.safetensors";

/// Returns the models in the ONNX files of the tests of `crates/transformer`, in all formats of floats.
fn seeds() -> Vec<Vec<u8>> {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/transformer/tests/files");
    let entries = std::fs::read_dir(files).expect("the files of the tests");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let models = paths.iter().filter_map(|path| onnx::read(path).ok());
    let scratch = Scratch::new();
    let folder = scratch.path("seed");
    let formats = [FloatFormat::F32, FloatFormat::F16];
    let mut seeds = Vec::new();
    for (model, format) in models.zip(formats.into_iter().cycle()) {
        let config = Config::new(Architecture::of(&model));
        std::fs::create_dir_all(&folder).expect("a folder");
        if hugging_face::write(&folder, &dequantize(&model), &config, format).is_ok() {
            let [config, tensors] = [CONFIG_FILE, MODEL_FILE]
                .map(|name| std::fs::read(folder.join(name)).expect("a file that was written"));
            let length = u16::try_from(config.len()).expect("a short configuration").to_le_bytes();
            seeds.push([&length[..], &config, &tensors].concat());
        }
    }
    seeds
}

fn use_all(folder: &Path, written: &Path) {
    let Ok(weights) = hugging_face::read(folder) else { return };
    let config = Config::read(folder).expect("a configuration that was read");
    if hugging_face::write(written, &weights, &config, FloatFormat::F32).is_ok() {
        let again = hugging_face::read(written).expect("a model that was written");
        assert_eq!(again.layers.len(), weights.layers.len());
    }
}

fuzz_target!(
    init: start(seeds),
    |data: &[u8]| {
        thread_local!(static SCRATCH: Scratch = Scratch::new());
        let Some((length, rest)) = data.split_first_chunk() else { return };
        let (config, tensors) = rest.split_at(rest.len().min(usize::from(u16::from_le_bytes(*length))));
        SCRATCH.with(|scratch| {
            let path = scratch.write(CONFIG_FILE, config);
            scratch.write(MODEL_FILE, tensors);
            let folder = path.parent().expect("a folder");
            let written = scratch.path("written");
            std::fs::create_dir_all(&written).expect("a folder");
            checked(data.len(), || use_all(folder, &written));
        });
    }
);
