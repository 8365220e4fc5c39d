//! Opens the files of a model.

use std::path::Path;
use std::sync::Arc;

use inference::{Library, Session};
use napi_derive::napi;
use tokenize::Tokenizer;

use crate::call::CallResult;

/// Paths of the files of a model and of the library that runs it, and the number of threads that run it.
#[napi(object)]
pub struct ModelFiles {
    /// The ONNX Runtime library.
    pub library: String,
    pub model: String,
    pub tokenizer: String,
    pub threads: u32,
}

impl ModelFiles {
    /// Opens the model and its tokenizer. If the model file is already open with the same number of threads, returns
    /// the session that is open.
    pub fn open(&self) -> CallResult<(Arc<Session>, Arc<Tokenizer>)> {
        let library = Library::open(Path::new(&self.library))?;
        let tokenizer = Tokenizer::open(Path::new(&self.tokenizer))?;
        let session = Session::shared(library, Path::new(&self.model), self.threads as usize)?;
        Ok((session, Arc::new(tokenizer)))
    }
}
