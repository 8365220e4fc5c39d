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
const THREAD: &str = "passagekit-onnx";

/// An opened model, with a thread of its own on which it runs. Runs of one session wait for each other.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    jobs: Sender<Job>,
    outputs: Vec<String>,
}

/// One run, and where its result goes.
#[derive(Debug)]
struct Job {
    batch: Batch,
    wanted: Vec<String>,
    done: Sender<Result<Vec<Tensor>, Error>>,
}

/// What the models that are served take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Ids,
    Mask,
    Types,
}

/// An output of a run: row-major numbers and their shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
    /// As many numbers as the shape says.
    pub data: Vec<f32>,
}

impl Session {
    /// Opens an ONNX file, to be run by `threads` threads (at least one) without busy waiting. On Linux they have a
    /// lower priority than the others of the process: inference shall not make an event loop late.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Model`]: not a model, or inputs other than `input_ids`, `attention_mask` and
    /// `token_type_ids`.
    pub fn open(library: &'static Library, path: &Path, threads: usize) -> Result<Self, Error> {
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        // The runtime's own message for a missing file names no file.
        storage::check_regular(path).map_err(io)?;
        let (opened, opening) = channel();
        let (jobs, queue) = channel();
        let model = path.to_path_buf();
        let serve = move || {
            lower_priority();
            match Model::open(library, model, threads) {
                Ok(mut model) => {
                    // Nobody waits any more if this fails, and the queue is closed then.
                    let _ = opened.send(Ok(model.outputs.clone()));
                    model.serve(&queue);
                }
                Err(error) => drop(opened.send(Err(error))),
            }
        };
        std::thread::Builder::new().name(THREAD.to_owned()).spawn(serve).map_err(io)?;
        let outputs = opening.recv().map_err(|_| thread_ended(path))??;
        Ok(Self { path: path.to_path_buf(), jobs, outputs })
    }

    /// The session of this file and so many threads that is open already, or a new one. It closes with its last
    /// holder.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn shared(library: &'static Library, path: &Path, threads: usize) -> Result<Arc<Self>, Error> {
        type Open = Mutex<HashMap<(PathBuf, usize), Weak<Session>>>;
        static OPEN: LazyLock<Open> = LazyLock::new(Open::default);
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        let key = (path.canonicalize().map_err(io)?, threads.max(1));
        // Held while a model loads: whoever asks for the same one meanwhile shall share it.
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

    /// Runs the model on a batch; `wanted` names the outputs to return, in that order.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] for an output that the model lacks or that is not `f32`; [`Error::Run`].
    pub fn run(&self, batch: Batch, wanted: &[&str]) -> Result<Vec<Tensor>, Error> {
        let (done, result) = channel();
        let wanted = wanted.iter().map(|&name| name.to_owned()).collect();
        self.jobs.send(Job { batch, wanted, done }).map_err(|_| thread_ended(&self.path))?;
        result.recv().map_err(|_| thread_ended(&self.path))?
    }
}

fn thread_ended(path: &Path) -> Error {
    let panic = panics::last_of(THREAD).map_or_else(String::new, |panic| format!(": {panic}"));
    Error::Run { path: path.to_path_buf(), message: format!("the session's thread ended{panic}") }
}

/// Threads that the runtime starts later inherit it. Elsewhere than on Linux this would slow the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(5);
}

/// What the session's thread holds.
struct Model {
    path: PathBuf,
    inner: ort::session::Session,
    inputs: Vec<Input>,
    outputs: Vec<String>,
}

impl Model {
    fn open(library: &Library, path: PathBuf, threads: usize) -> Result<Self, Error> {
        let refused = |error: &dyn std::fmt::Display| Error::model(&path, "an ONNX model", error.to_string());
        let inner = ort::session::Session::builder(&library.environment)
            .map_err(|error| refused(&error))?
            .with_optimization_level(GraphOptimizationLevel::All)
            .map_err(|error| refused(&error))?
            .with_intra_threads(threads.max(1))
            .map_err(|error| refused(&error))?
            // A spinning helper takes the core that the event loop needs.
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

    /// Until the last holder of the session is gone.
    fn serve(&mut self, queue: &Receiver<Job>) {
        for Job { batch, wanted, done } in queue {
            // Whoever asked may have gone.
            let _ = done.send(self.run(&batch, &wanted));
        }
    }

    fn run(&mut self, batch: &Batch, wanted: &[String]) -> Result<Vec<Tensor>, Error> {
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
        wanted
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
