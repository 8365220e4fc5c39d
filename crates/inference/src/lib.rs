//! ONNX models: sessions of the ONNX Runtime library that the caller names, encoders and readers on top of them.
//!
//! Every call computes on the thread that makes it (and on the session's own helpers), so whoever must not wait
//! calls from another thread.
//!
//! ```no_run
//! use control::Control;
//! use inference::{EncodeOptions, Encoder, EncoderConfig, EncoderInput, Library, Session};
//!
//! let library = Library::open("libonnxruntime.so.1".as_ref())?;
//! let folder = std::path::Path::new("models/minilm-encoder");
//! let session = Session::open(library, &folder.join("model.onnx"), 2)?;
//! let tokenizer = tokenize::Tokenizer::open(&folder.join("tokenizer.json"))?;
//! let encoder = Encoder::new(session.into(), tokenizer.into(), EncoderConfig::default())?;
//! let vectors = encoder.encode(&[EncoderInput::text("a question")], &EncodeOptions::default(), &Control::new())?;
//! assert_eq!(vectors.len(), encoder.dim());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod encoder;
mod error;
mod library;
mod pooling;
mod reader_form;
mod reader_input;
mod reader_model;
mod session;
mod windows;

pub use batch::Batch;
pub use encoder::{EncodeOptions, Encoder, EncoderConfig, EncoderInput, PassageForm, TokenTypes};
pub use error::Error;
pub use library::Library;
pub use pooling::Pooling;
pub use reader_form::{ReaderForm, Relevance};
pub use reader_model::{LongPassages, PassageLogits, ReaderConfig, ReaderModel, ReaderPassage};
pub use session::{Session, Tensor};
