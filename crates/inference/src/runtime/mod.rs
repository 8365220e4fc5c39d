//! Runs models. `session.rs` opens a model on a thread, which runs it with the crate `transformer`
//! (`built_in_model.rs`) or with ONNX Runtime (`onnx_runtime_model.rs`), which `library.rs` loads. `batch.rs` plans and
//! pads the batches of inputs, and `tensor.rs` has the type of outputs.

mod batch;
mod built_in_model;
mod library;
mod onnx_runtime_model;
mod session;
mod tensor;

pub use batch::Batch;
pub(crate) use batch::plan_batches;
pub use library::Library;
pub use session::{Runtime, RuntimeChoice, Session};
pub use tensor::Tensor;
