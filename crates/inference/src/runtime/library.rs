//! Loads the ONNX Runtime library.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;

use crate::Error;

/// The ONNX Runtime library. A process can load only one, which stays loaded until the process ends.
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    pub(crate) environment: Environment,
}

/// The library that the process has loaded.
static LOADED: Mutex<Option<&'static Library>> = Mutex::new(None);

impl Library {
    /// Loads the library from a file. If the process has already loaded a library, ignores `path` and returns that
    /// library.
    ///
    /// # Errors
    ///
    /// [`Error::Library`] if it cannot be loaded. The caller can then try another file.
    pub fn open(path: &Path) -> Result<&'static Self, Error> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = *loaded {
            return Ok(library);
        }
        let fail = |message: String| Error::Library { path: path.to_path_buf(), message };
        if !path.is_file() {
            return Err(fail("no such file".to_owned()));
        }
        let environment = ort::init_from(path)
            .map_err(|error| fail(error.to_string()))?
            .with_name("passagekit")
            .with_telemetry(false)
            .build()
            .map_err(|error| fail(error.to_string()))?;
        // By default, the library prints errors to stderr. This crate returns them instead.
        environment.set_log_level(ort::logging::LogLevel::Fatal);
        let library: &'static Self = Box::leak(Box::new(Self { path: path.to_path_buf(), environment }));
        *loaded = Some(library);
        Ok(library)
    }

    /// The file from which the library was loaded.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
