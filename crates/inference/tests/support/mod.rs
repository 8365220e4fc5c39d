//! Opens the models of this repository for tests.

#![allow(dead_code, reason = "each test file uses some of these functions")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use inference::{RuntimeChoice, Session};
use tokenize::Tokenizer;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns ONNX Runtime with the library at the path in `ORT_DYLIB_PATH`, or else in the npm package
/// `onnxruntime-node`. If there is no such file, prints that the test is skipped and returns `None`.
pub fn onnx_runtime() -> Option<RuntimeChoice> {
    let (os, file) = match std::env::consts::OS {
        "macos" => ("darwin", "libonnxruntime.1.dylib"),
        "windows" => ("win32", "onnxruntime.dll"),
        _ => ("linux", "libonnxruntime.so.1"),
    };
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    let path = std::env::var_os("ORT_DYLIB_PATH").map_or_else(
        || root().join("node_modules/onnxruntime-node/bin/napi-v6").join(os).join(arch).join(file),
        PathBuf::from,
    );
    if path.exists() {
        return Some(RuntimeChoice::OnnxRuntime { library: path });
    }
    eprintln!("skipped: no ONNX Runtime library at {}", path.display());
    None
}

/// Returns all runtimes that can be tested: the crate `transformer`, and ONNX Runtime if there is a library.
pub fn runtimes() -> Vec<RuntimeChoice> {
    [RuntimeChoice::BuiltIn].into_iter().chain(onnx_runtime()).collect()
}

/// Opens the session and the tokenizer of a model in `models/`.
pub fn open_model(runtime: &RuntimeChoice, model: &str) -> (Arc<Session>, Arc<Tokenizer>) {
    let folder = root().join("models").join(model);
    let session = Session::open(runtime, &folder.join("model.onnx"), 1).expect("a model");
    (session.into(), Tokenizer::open(&folder.join("tokenizer.json")).expect("a tokenizer").into())
}

/// Opens the session and the tokenizer of a model in `models/`, with an ONNX file whose bytes `rewrite` has changed.
pub fn open_rewritten_model(
    runtime: &RuntimeChoice,
    model: &str,
    rewrite: impl Fn(&[u8]) -> Vec<u8>,
) -> (Arc<Session>, Arc<Tokenizer>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    let bytes = std::fs::read(root().join("models").join(model).join("model.onnx")).expect("a model");
    std::fs::write(&path, rewrite(&bytes)).expect("writes");
    let tokenizer = Tokenizer::open(&root().join("models").join(model).join("tokenizer.json"));
    (Session::open(runtime, &path, 1).expect("a model").into(), tokenizer.expect("a tokenizer").into())
}
