//! Opens the files of a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use inference::{Runtime, RuntimeChoice, Session};
use napi_derive::napi;
use tokenize::Tokenizer;

use crate::call::{CallResult, Failure};

/// Paths of the files of a model and of the library that can run it, and the number of threads that run it.
#[napi(object)]
pub struct ModelFiles {
    /// What runs the model: `passagekit`, `onnxruntime` or `auto`.
    pub runtime: String,
    /// The ONNX Runtime library, if there is one.
    pub library: Option<String>,
    /// Why there is no library.
    pub missing_library: Option<String>,
    pub model: String,
    pub tokenizer: String,
    pub threads: u32,
}

impl ModelFiles {
    /// Opens the model and its tokenizer. If the model file is already open with the same runtime and the same number
    /// of threads, returns the session that is open.
    pub fn open(&self) -> CallResult<(Arc<Session>, Arc<Tokenizer>)> {
        let tokenizer = Tokenizer::open(Path::new(&self.tokenizer))?;
        let session = Session::shared(&self.choice()?, Path::new(&self.model), self.threads as usize)?;
        Ok((session, Arc::new(tokenizer)))
    }

    fn choice(&self) -> CallResult<RuntimeChoice> {
        let library = || self.library.as_ref().map(PathBuf::from);
        match self.runtime.as_str() {
            "auto" => {
                let missing = || self.missing_library.clone().unwrap_or_default();
                Ok(RuntimeChoice::Auto { library: library().ok_or_else(missing) })
            }
            "passagekit" => Ok(RuntimeChoice::BuiltIn),
            "onnxruntime" => match library() {
                Some(library) => Ok(RuntimeChoice::OnnxRuntime { library }),
                None => Err(Failure::argument("library: expected a path, got none".to_owned())),
            },
            other => Err(Failure::argument(format!(
                "runtime: expected auto, passagekit or onnxruntime, got \"{other}\""
            ))),
        }
    }
}

/// The name of a runtime in JavaScript.
pub fn runtime_name(runtime: Runtime) -> String {
    match runtime {
        Runtime::BuiltIn => "passagekit".to_owned(),
        Runtime::OnnxRuntime => "onnxruntime".to_owned(),
    }
}
