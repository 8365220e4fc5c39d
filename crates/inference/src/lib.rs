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

mod encoder;
mod error;
mod reader;
mod runtime;

pub use encoder::{EncodeOptions, Encoder, EncoderConfig, EncoderInput, PassageForm, Pooling, TokenTypes};
pub use error::Error;
pub use reader::{
    LongPassages, PassageLogits, ReaderConfig, ReaderForm, ReaderModel, ReaderPassage, Relevance,
};
pub use runtime::{Batch, Library, Session, Tensor};
