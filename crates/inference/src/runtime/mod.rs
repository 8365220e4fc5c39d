//! The ONNX Runtime library, the sessions that run its models, and the batches that they run.

mod batch;
mod library;
mod session;

pub use batch::Batch;
pub(crate) use batch::plan;
pub use library::Library;
pub use session::{Session, Tensor};
