//! Runs models: `library.rs` loads ONNX Runtime, `session.rs` opens a model and runs it, and `batch.rs` plans and pads
//! the batches of its inputs.

mod batch;
mod library;
mod session;

pub use batch::Batch;
pub(crate) use batch::plan_batches;
pub use library::Library;
pub use session::{Session, Tensor};
