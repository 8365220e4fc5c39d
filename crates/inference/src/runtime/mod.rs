//! Runs models: `session.rs` opens a model and runs it, `own_model.rs` with the crate `transformer`, and `onnx_model.rs`
//! with ONNX Runtime, which `library.rs` loads. `batch.rs` plans and pads the batches of a model's inputs.

mod batch;
mod library;
mod onnx_model;
mod own_model;
mod session;
mod tensor;

pub use batch::Batch;
pub(crate) use batch::plan_batches;
pub use library::Library;
pub use session::{Runtime, RuntimeChoice, Session};
pub use tensor::Tensor;
