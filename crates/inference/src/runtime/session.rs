//! Opens and runs a model: [`Session`].
//!
//! A session has a thread that opens the model and receives batches through a channel. The thread runs a batch itself,
//! or on helper threads. These inherit its priority, which it lowers before it opens the model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::Duration;

use control::Control;

use super::built_in_model::{BuiltInModel, THREAD_NAME};
use super::onnx_runtime_model::OnnxRuntimeModel;
use super::tensor::Tensor;
use crate::{Batch, Error, Library};

/// What runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// The crate `transformer`.
    BuiltIn,
    /// ONNX Runtime.
    OnnxRuntime,
}

/// How the runtime of a model is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RuntimeChoice {
    /// The crate `transformer`, if it recognizes the model, and otherwise ONNX Runtime.
    Auto {
        /// The file of the ONNX Runtime library, or an explanation why there is none.
        library: Result<PathBuf, String>,
    },
    /// The crate `transformer`.
    BuiltIn,
    /// ONNX Runtime.
    OnnxRuntime {
        /// The file of the library.
        library: PathBuf,
    },
}

/// While a caller waits for a batch, it checks this often whether it was canceled.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// An open model, which runs on a thread of its own. It runs one batch at a time; other callers wait.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    /// Batches for the session's thread. The thread ends when this sender is dropped.
    jobs: Sender<Job>,
    /// Names of the model's outputs.
    outputs: Vec<String>,
    runtime: Runtime,
}

/// One run of the model, and the channel for its result.
#[derive(Debug)]
struct Job {
    batch: Batch,
    /// Names of the outputs to return.
    output_names: Vec<String>,
    /// Canceled if the caller no longer waits for the result.
    control: Arc<Control>,
    result: Sender<Result<Vec<Tensor>, Error>>,
}

impl Session {
    /// Opens an ONNX file. The model runs on `threads` threads, or on one if `threads` is 0.
    ///
    /// So that inference does not delay an event loop, these threads have a lower priority than the other threads of
    /// the process on Linux, and those of ONNX Runtime do not spin while they wait.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file cannot be read or the thread cannot be started; [`Error::Model`] if the file is not a
    /// model, if the model has inputs other than `input_ids`, `attention_mask` and `token_type_ids`, or if
    /// [`RuntimeChoice::BuiltIn`] is chosen and the crate `transformer` does not recognize the model;
    /// [`Error::NoLibrary`] and [`Error::Library`] if ONNX Runtime is needed and there is no library, or it cannot be
    /// loaded.
    pub fn open(choice: &RuntimeChoice, path: &Path, threads: usize) -> Result<Self, Error> {
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        // For a missing file, the message of ONNX Runtime does not contain the path.
        storage::check_regular(path).map_err(io)?;
        // The session's thread reports through the first channel whether it could open the model.
        let (opened, opening) = channel();
        let (jobs, job_queue) = channel();
        let (choice, file) = (choice.clone(), path.to_path_buf());
        let thread_main = move || {
            lower_priority();
            match Model::open(&choice, &file, threads) {
                Ok(mut model) => {
                    // Sending fails if the caller has ended. Then the queue is closed, and the thread ends.
                    let _ = opened.send(Ok((model.runtime(), model.outputs().to_vec())));
                    model.run_jobs(&job_queue);
                }
                Err(error) => drop(opened.send(Err(error))),
            }
        };
        std::thread::Builder::new().name(THREAD_NAME.to_owned()).spawn(thread_main).map_err(io)?;
        let (runtime, outputs) = opening.recv().map_err(|_| thread_ended(path))??;
        Ok(Self { path: path.to_path_buf(), jobs, outputs, runtime })
    }

    /// Returns the open session for this file, choice and number of threads, or opens one if there is none. A session
    /// is closed when its last `Arc` is dropped.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn shared(choice: &RuntimeChoice, path: &Path, threads: usize) -> Result<Arc<Self>, Error> {
        /// Sessions by canonical path, choice and number of threads.
        type OpenSessions = Mutex<HashMap<(PathBuf, RuntimeChoice, usize), Weak<Session>>>;
        static OPEN: LazyLock<OpenSessions> = LazyLock::new(OpenSessions::default);
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        let key = (path.canonicalize().map_err(io)?, choice.clone(), threads.max(1));
        // The lock is held while a model loads, so that concurrent callers share one session.
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = open.get(&key).and_then(Weak::upgrade) {
            return Ok(session);
        }
        let session = Arc::new(Self::open(choice, path, threads)?);
        open.retain(|_, session| session.strong_count() > 0);
        open.insert(key, Arc::downgrade(&session));
        Ok(session)
    }

    /// What runs the model.
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        self.runtime
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
    /// If `control` is canceled, the call returns within milliseconds, also while it waits for the batches of other
    /// callers. The batch is then not run, or stops after the current group of texts; ONNX Runtime finishes it.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model lacks one of the outputs, or if one of them is not `f32`; [`Error::Run`] if the
    /// run fails; [`Error::Canceled`] if `control` was canceled.
    pub fn run(&self, batch: Batch, output_names: &[&str], control: &Control) -> Result<Vec<Tensor>, Error> {
        let (sender, result) = channel();
        let output_names = output_names.iter().map(|&name| name.to_owned()).collect();
        let job_control = Arc::new(Control::new());
        let job = Job { batch, output_names, control: Arc::clone(&job_control), result: sender };
        self.jobs.send(job).map_err(|_| thread_ended(&self.path))?;
        loop {
            match result.recv_timeout(CHECK_INTERVAL) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err(thread_ended(&self.path)),
                Err(RecvTimeoutError::Timeout) => {
                    control.check().inspect_err(|_| job_control.cancel())?;
                }
            }
        }
    }
}

/// Creates the error for a session whose thread has ended. Only a panic can cause this.
fn thread_ended(path: &Path) -> Error {
    let panic = panics::last_of(THREAD_NAME).map_or_else(String::new, |panic| format!(": {panic}"));
    Error::Run { path: path.to_path_buf(), message: format!("the session's thread ended{panic}") }
}

/// Lowers the priority of the current thread, and thereby of the threads that are started from it. On systems
/// other than Linux, `nice` would slow down the whole process, so this function does nothing.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(5);
}

/// An open model. It is created, used and dropped on the session's thread.
enum Model {
    BuiltIn(Box<BuiltInModel>),
    OnnxRuntime(OnnxRuntimeModel),
}

impl Model {
    /// Opens the model, as [`Session::open`] documents.
    fn open(choice: &RuntimeChoice, path: &Path, threads: usize) -> Result<Self, Error> {
        let onnx = |library: &Path| {
            let library = Library::open(library)?;
            Ok(Self::OnnxRuntime(OnnxRuntimeModel::open(library, path.to_path_buf(), threads)?))
        };
        match choice {
            RuntimeChoice::OnnxRuntime { library } => onnx(library),
            RuntimeChoice::BuiltIn => match BuiltInModel::open(path, threads)? {
                Ok(model) => Ok(Self::BuiltIn(Box::new(model))),
                Err(reason) => Err(Error::model(path, "a graph that passagekit can run", reason)),
            },
            RuntimeChoice::Auto { library } => match (BuiltInModel::open(path, threads), library) {
                (Ok(Ok(model)), _) => Ok(Self::BuiltIn(Box::new(model))),
                // ONNX Runtime may read a file that the crate `transformer` takes for damaged. Otherwise, it has an
                // error of its own.
                (Ok(Err(_)) | Err(_), Ok(library)) => onnx(library),
                (Ok(Err(reason)), Err(why)) => {
                    Err(Error::NoLibrary { path: path.to_path_buf(), reason, why: why.clone() })
                }
                (Err(error), Err(_)) => Err(error),
            },
        }
    }

    fn runtime(&self) -> Runtime {
        match self {
            Self::BuiltIn(_) => Runtime::BuiltIn,
            Self::OnnxRuntime(_) => Runtime::OnnxRuntime,
        }
    }

    fn outputs(&self) -> &[String] {
        match self {
            Self::BuiltIn(model) => model.outputs(),
            Self::OnnxRuntime(model) => model.outputs(),
        }
    }

    /// Runs jobs until the session has been dropped.
    fn run_jobs(&mut self, queue: &Receiver<Job>) {
        for Job { batch, output_names, control, result } in queue {
            let outputs = match self {
                _ if control.check().is_err() => continue,
                Self::BuiltIn(model) => model.run(&batch, &output_names, &control),
                Self::OnnxRuntime(model) => model.run(&batch, &output_names),
            };
            // Sending fails if the caller no longer waits for the result.
            let _ = result.send(outputs);
        }
    }
}
