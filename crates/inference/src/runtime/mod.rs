//! The ONNX Runtime library, sessions that run models, and the batches that they run.

mod batch;
mod library;
mod session;

pub use batch::Batch;
pub(crate) use batch::plan_batches;
pub use library::Library;
pub use session::{Session, Tensor};
