//! Training of encoders and readers with the architecture of BERT (Devlin et al., 2019), as for Dense Passage Retrieval
//! (Karpukhin et al., 2020).
//!
//! - [`EncoderTrainer`] and [`ReaderTrainer`] hold a model's parameters. Their `step` takes a batch of texts and
//!   updates the parameters. Both use the engine (`engine/`), which distributes a batch over threads.
//! - The network (`network/`) computes the vectors or logits of texts, and backpropagates their gradients to its
//!   [`Parameters`]. Texts are not padded: the tokens of all texts that are processed together form one matrix.
//! - A [`Backend`] computes the products of the linear layers inside the network's layers: the [`Cpu`], [`Bf16Cpu`], or a device that
//!   a caller provides.
//! - [`loss`] has the loss functions. Each returns the loss, and replaces its inputs with their gradients.
//! - [`optimizer`] has AdamW and the schedule of the learning rate.
//!
//! All sums are added in an order that depends only on the batch and the number of threads. So, on one machine and with
//! the default backend, the same seed and number of threads give the same parameters, bit for bit.

mod backend;
mod checkpoint;
mod encoder;
mod engine;
mod error;
mod fixed_passages;
pub mod loss;
mod network;
pub mod optimizer;
mod parameters;
mod reader;

pub use backend::{Backend, Bf16Cpu, Cpu};
pub use encoder::{EncoderBatch, EncoderOptions, EncoderTrainer, Loss, Side};
pub use engine::{StepOptions, StepReport};
pub use error::Error;
pub use fixed_passages::QuestionBatch;
pub use kernels::matrix::Matrix;
pub use network::heads::{Pooling, ReaderLogits};
pub use parameters::{Parameters, Shape};
pub use reader::{ReaderBatch, ReaderPassage, ReaderTrainer};
