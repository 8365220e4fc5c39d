//! Tests that heads are found in the ONNX files of exporters, optimizers and quantizers, and that their logits agree
//! with those of ONNX Runtime.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use control::Control;
use proptest::prelude::*;
use safetensors::{Dtype, SafeTensors};
use support::graph::{Graph, Weights, open_head};
use support::{Parts, write};
use vocabulary::{Error, Head};

/// The folder with the files that `make.py` writes: models and `expected.safetensors`.
fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// The names of the models.
fn models() -> Vec<String> {
    let entries = fs::read_dir(files()).expect("a folder");
    let names = entries.map(|entry| entry.expect("a file").file_name().into_string().expect("a name"));
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".onnx").map(str::to_owned)).collect();
    names.sort();
    names
}

#[test]
fn every_export_gives_the_logits_of_onnx_runtime() {
    let bytes = fs::read(files().join("expected.safetensors")).expect("a file");
    let expected = SafeTensors::deserialize(&bytes).expect("a valid file");
    let values = |name: String| -> Vec<f32> {
        let tensor = expected.tensor(&name).expect("a tensor");
        let numbers = tensor.data().chunks_exact(4);
        numbers.map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes"))).collect()
    };
    let names = models();
    // The file has vectors, logits and error bounds for each model.
    assert_eq!(names.len() * 3, expected.len());
    for name in names {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("onnx")).expect("a folder");
        let path = folder.path().join("onnx/model.onnx");
        fs::copy(files().join(format!("{name}.onnx")), &path).expect("copied");
        let data_name = format!("{name}.onnx_data");
        let mut paths = vec![path];
        if files().join(&data_name).exists() {
            paths.push(folder.path().join("onnx").join(&data_name));
            fs::copy(files().join(&data_name), &paths[1]).expect("copied");
        }
        assert_eq!(Head::files(folder.path()).expect("files"), paths);

        let head = Head::open(folder.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let vectors = values(format!("{name}.vectors"));
        let logits = head.logits(&vectors, 1, &Control::new()).expect("logits");
        let (expected, bounds) = (values(format!("{name}.logits")), values(format!("{name}.bounds")));
        assert_eq!(logits.len(), expected.len(), "{name}");
        // Check the activation separately: the logits of the two GELU variants may differ by less than the bounds.
        // Models with "new" in their names have the activation `gelu_new`, and `head-optimized` is the head of one of
        // them.
        let is_tanh = format!("{head:?}").contains("activation: GeluTanh");
        assert_eq!(is_tanh, name.contains("-new") || name == "head-optimized", "{name}");
        for ((got, expected), bound) in logits.iter().zip(expected).zip(bounds) {
            assert!((got - expected).abs() <= bound, "{name}: {got} is not {expected} ± {bound:e}");
        }
    }
}

#[test]
fn a_graph_and_a_checkpoint_with_the_same_weights_give_the_same_head() {
    let parts = Parts::new(4, 3, 5, 1);
    let folder = tempfile::tempdir().expect("a folder");
    let names = [
        "dense.weight",
        "dense.bias",
        "layer_norm.weight",
        "layer_norm.bias",
        "decoder.weight",
        "decoder.bias",
    ];
    write(&folder.path().join("model.safetensors"), &parts.named(names), Dtype::F32);
    let checkpoint = Head::open(folder.path()).expect("a head");
    // All weights are equal bit for bit. The epsilon of the graph, an f32, is read as the f64 1e-12, which is the
    // default of the checkpoint.
    assert_eq!(open_head(&Graph::new(&parts)).expect("a head"), checkpoint);
}

#[test]
fn the_preferred_file_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = [
        "dense.weight",
        "dense.bias",
        "layer_norm.weight",
        "layer_norm.bias",
        "decoder.weight",
        "decoder.bias",
    ];
    fs::create_dir(folder.path().join("onnx")).expect("a folder");
    let files =
        ["onnx/model.onnx", "model.onnx", "model.safetensors", "mlm_head.onnx", "mlm_head.safetensors"];
    // Write the files in the reverse order of preference. Each has one more token than the previous one.
    for (at, name) in files.iter().enumerate() {
        let (parts, path) = (Parts::new(2, 2, at + 1, 1), folder.path().join(name));
        match path.extension().is_some_and(|extension| extension == "onnx") {
            true => Graph::new(&parts).write(&path),
            false => write(&path, &parts.named(names), Dtype::F32),
        }
        assert_eq!(Head::files(folder.path()).expect("files"), [path]);
        assert_eq!(Head::open(folder.path()).expect("a head").vocabulary_size(), at + 1, "{name}");
    }
    // A file that exists is not skipped if it has no head.
    fs::write(folder.path().join("mlm_head.safetensors"), "").expect("written");
    assert!(Head::open(folder.path()).is_err());
}

#[test]
fn a_model_without_a_head_is_refused() {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-reader");
    let error = Head::open(&reader).expect_err("no head").to_string();
    let expected =
        "a masked-language-model head before the output \"logits\", or else before exactly one output";
    assert!(error.contains(&format!("model.onnx: expected {expected}, got none before ")), "{error}");
}

#[test]
fn external_weights_must_be_in_the_folder_of_the_graph() {
    let parts = Parts::new(4, 3, 5, 8);
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("onnx");
    fs::create_dir_all(inside.join("data")).expect("a folder");
    // The weights of E are 5 · 3 · 4 = 60 bytes, after seven other bytes and before five more.
    let mut bytes = vec![9; 7];
    bytes.extend_from_slice(bytemuck::cast_slice(&parts.values[4]));
    bytes.extend([9; 5]);
    fs::write(inside.join("data/weights.bin"), &bytes).expect("written");
    fs::write(folder.path().join("weights.bin"), &bytes).expect("written");
    let open_external = |entries: &[(&str, &str)]| {
        Graph::new(&parts)
            .with_weights(vec![Weights::external("E", &[5, 3], entries)])
            .write(&inside.join("model.onnx"));
        Head::open(folder.path())
    };
    let good = [("location", "./data/weights.bin"), ("offset", "7"), ("length", "60")];
    assert_eq!(open_external(&good).expect("a head"), open_head(&Graph::new(&parts)).expect("a head"));
    assert_eq!(
        Head::files(folder.path()).expect("files"),
        [inside.join("model.onnx"), inside.join("data/weights.bin")]
    );

    let absolute = folder.path().join("weights.bin");
    for location in ["../weights.bin", "data/../../weights.bin", absolute.to_str().expect("text"), "", "a\0b"]
    {
        let error =
            open_external(&[("location", location), ("offset", "7"), ("length", "60")]).expect_err("outside");
        let message = error.to_string();
        assert!(
            message.contains("the weights of tensor \"E\" in the folder of the graph, got \""),
            "{message}"
        );
        assert!(Head::files(folder.path()).is_err());
    }
    let refused = |entries: &[(&str, &str)]| open_external(entries).expect_err("damaged").to_string();
    let location = ("location", "data/weights.bin");
    assert!(
        refused(&[location, ("offset", "60"), ("length", "60")])
            .ends_with("from byte 60, got a file of 72 bytes")
    );
    assert!(
        refused(&[location, ("offset", "18446744073709551615"), ("length", "60")])
            .ends_with("got a file of 72 bytes")
    );
    assert!(refused(&[location, ("offset", "7")]).ends_with("shape [5, 3], got 65 bytes"));
    assert!(
        refused(&[location, ("offset", "-1")]).ends_with("got \"-1\" as an offset or length in another file")
    );
    assert!(refused(&[("location", "data")]).ends_with("expected a regular file, got something else"));
    assert!(matches!(open_external(&[("location", "lost")]), Err(Error::Io { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn corrupt_files_are_read_or_refused_without_panics(
        model in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        length in prop::option::of(any::<prop::sample::Index>()),
        is_minimal in any::<bool>(),
    ) {
        let names = models();
        let mut bytes = if is_minimal {
            Graph::new(&Parts::new(3, 4, 5, 1)).bytes()
        } else {
            fs::read(files().join(format!("{}.onnx", model.get(&names)))).expect("a file")
        };
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        if let Some(length) = length {
            bytes.truncate(length.index(bytes.len()));
        }
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("model.onnx"), &bytes).expect("written");
        drop(Head::files(folder.path()));
        if let Ok(head) = Head::open(folder.path()) {
            let logits = head.logits(&vec![0.5; head.dim()], 1, &Control::new());
            prop_assert!(logits.map_or(true, |logits| logits.len() == head.vocabulary_size()));
        }
    }
}
