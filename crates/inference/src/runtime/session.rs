//! Opens a model and runs it on a thread of its own: [`Session`].
//!
//! ONNX Runtime starts helper threads, which inherit the priority of the thread that opens the model. Therefore, each
//! session starts a thread, lowers its priority, and opens the model on it. The thread then receives batches through a
//! channel.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use ort::session::SessionInputValue;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::TensorRef;

use crate::{Batch, Error, Library};

/// The name of the threads that run models.
const THREAD_NAME: &str = "passagekit-onnx";

/// An open model, which runs on a thread of its own. It runs one batch at a time; other callers wait.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    /// Batches for the session's thread. The thread ends when this sender is dropped.
    jobs: Sender<Job>,
    /// Names of the model's outputs.
    outputs: Vec<String>,
}

/// One run of the model, and the channel for its result.
#[derive(Debug)]
struct Job {
    batch: Batch,
    /// Names of the outputs to return.
    output_names: Vec<String>,
    result: Sender<Result<Vec<Tensor>, Error>>,
}

/// An input that a model may have: `input_ids`, `attention_mask` or `token_type_ids`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Ids,
    Mask,
    Types,
}

/// One output of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Sizes of the axes, outermost first.
    pub shape: Vec<usize>,
    /// The values, row-major.
    pub data: Vec<f32>,
}

impl Session {
    /// Opens an ONNX file. The model runs on `threads` threads, or on one if `threads` is 0.
    ///
    /// So that inference does not delay an event loop, these threads sleep instead of spinning while they wait, and on
    /// Linux they have a lower priority than the other threads of the process.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file cannot be read or the thread cannot be started; [`Error::Model`] if the file is not a
    /// model, or if the model has inputs other than `input_ids`, `attention_mask` and `token_type_ids`.
    pub fn open(library: &'static Library, path: &Path, threads: usize) -> Result<Self, Error> {
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        // For a missing file, the message of ONNX Runtime does not contain the path.
        storage::check_regular(path).map_err(io)?;
        // The session's thread reports through the first channel whether it could open the model.
        let (opened, opening) = channel();
        let (jobs, job_queue) = channel();
        let model = path.to_path_buf();
        let thread_main = move || {
            lower_priority();
            match Model::open(library, model, threads) {
                Ok(mut model) => {
                    // Sending fails if the caller has ended. Then the queue is closed, and the thread ends.
                    let _ = opened.send(Ok(model.outputs.clone()));
                    model.run_jobs(&job_queue);
                }
                Err(error) => drop(opened.send(Err(error))),
            }
        };
        std::thread::Builder::new().name(THREAD_NAME.to_owned()).spawn(thread_main).map_err(io)?;
        let outputs = opening.recv().map_err(|_| thread_ended(path))??;
        Ok(Self { path: path.to_path_buf(), jobs, outputs })
    }

    /// Returns the open session for this file and number of threads, or opens one if there is none. A session is closed
    /// when its last `Arc` is dropped.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn shared(library: &'static Library, path: &Path, threads: usize) -> Result<Arc<Self>, Error> {
        /// Sessions by canonical path and number of threads.
        type OpenSessions = Mutex<HashMap<(PathBuf, usize), Weak<Session>>>;
        static OPEN: LazyLock<OpenSessions> = LazyLock::new(OpenSessions::default);
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        let key = (path.canonicalize().map_err(io)?, threads.max(1));
        // The lock is held while a model loads, so that concurrent callers share one session.
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = open.get(&key).and_then(Weak::upgrade) {
            return Ok(session);
        }
        let session = Arc::new(Self::open(library, path, threads)?);
        open.retain(|_, session| session.strong_count() > 0);
        open.insert(key, Arc::downgrade(&session));
        Ok(session)
    }

    /// The model's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names of the outputs.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// Runs the model on a batch and returns the outputs named in `output_names`, in that order.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model lacks one of the outputs, or if one of them is not `f32`; [`Error::Run`] if the
    /// run fails.
    pub fn run(&self, batch: Batch, output_names: &[&str]) -> Result<Vec<Tensor>, Error> {
        let (sender, result) = channel();
        let output_names = output_names.iter().map(|&name| name.to_owned()).collect();
        self.jobs.send(Job { batch, output_names, result: sender }).map_err(|_| thread_ended(&self.path))?;
        result.recv().map_err(|_| thread_ended(&self.path))?
    }
}

/// Creates the error for a session whose thread has ended. Only a panic can cause this.
fn thread_ended(path: &Path) -> Error {
    let panic = panics::last_of(THREAD_NAME).map_or_else(String::new, |panic| format!(": {panic}"));
    Error::Run { path: path.to_path_buf(), message: format!("the session's thread ended{panic}") }
}

/// Lowers the priority of the current thread, and thereby of the threads that ONNX Runtime starts from it. On systems
/// other than Linux, `nice` would slow down the whole process, so this function does nothing.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(5);
}

/// A model that ONNX Runtime has loaded. It is created, used and dropped on the session's thread.
struct Model {
    path: PathBuf,
    inner: ort::session::Session,
    inputs: Vec<Input>,
    outputs: Vec<String>,
}

impl Model {
    /// Loads the model and checks its inputs, as [`Session::open`] documents.
    fn open(library: &Library, path: PathBuf, threads: usize) -> Result<Self, Error> {
        let refused = |error: &dyn std::fmt::Display| Error::model(&path, "an ONNX model", error.to_string());
        let inner = ort::session::Session::builder(&library.environment)
            .map_err(|error| refused(&error))?
            .with_optimization_level(GraphOptimizationLevel::All)
            .map_err(|error| refused(&error))?
            .with_intra_threads(threads.max(1))
            .map_err(|error| refused(&error))?
            // A spinning helper thread would take a core from the event loop.
            .with_intra_op_spinning(false)
            .map_err(|error| refused(&error))?
            .commit_from_file(&path)
            .map_err(|error| refused(&error))?;
        let mut inputs = Vec::new();
        for input in inner.inputs() {
            inputs.push(match input.name() {
                "input_ids" => Input::Ids,
                "attention_mask" => Input::Mask,
                "token_type_ids" => Input::Types,
                other => {
                    let expected = "inputs among input_ids, attention_mask and token_type_ids";
                    return Err(Error::model(&path, expected, format!("an input \"{other}\"")));
                }
            });
        }
        let outputs = inner.outputs().iter().map(|output| output.name().to_owned()).collect();
        Ok(Self { path, inner, inputs, outputs })
    }

    /// Runs jobs until the session has been dropped.
    fn run_jobs(&mut self, queue: &Receiver<Job>) {
        for Job { batch, output_names, result } in queue {
            // Sending fails if the caller no longer waits for the result.
            let _ = result.send(self.run(&batch, &output_names));
        }
    }

    /// Runs one batch, as [`Session::run`] documents.
    fn run(&mut self, batch: &Batch, output_names: &[String]) -> Result<Vec<Tensor>, Error> {
        let path = &self.path;
        let fail = |error: ort::Error| Error::Run { path: path.clone(), message: error.to_string() };
        let mut values: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(3);
        for input in &self.inputs {
            let (name, data) = match input {
                Input::Ids => ("input_ids", &batch.ids),
                Input::Mask => ("attention_mask", &batch.mask),
                Input::Types => ("token_type_ids", &batch.types),
            };
            let tensor = TensorRef::from_array_view(([batch.rows, batch.length], data.as_slice()));
            values.push((name.into(), tensor.map_err(fail)?.into()));
        }
        let outputs = self.inner.run(values).map_err(fail)?;
        output_names
            .iter()
            .map(|name| {
                let expected = || format!("an f32 output \"{name}\"");
                let value = outputs.get(name).ok_or_else(|| {
                    Error::model(path, expected(), format!("outputs {}", self.outputs.join(", ")))
                })?;
                let (shape, data) = value
                    .try_extract_tensor::<f32>()
                    .map_err(|error| Error::model(path, expected(), error.to_string()))?;
                let shape = shape.iter().map(|&size| usize::try_from(size).unwrap_or(0)).collect();
                Ok(Tensor { shape, data: data.to_vec() })
            })
            .collect()
    }
}
