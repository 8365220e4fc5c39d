//! Encoders and extractive readers.
//!
//! A [`Session`] runs a model with the crate `transformer`, if that recognizes the model's graph, and otherwise with
//! the ONNX Runtime [`Library`], which is loaded from a file at run time. An [`Encoder`] maps texts to vectors. A
//! [`ReaderModel`] maps a question and passages to start, end and relevance logits, from which the crate `reading`
//! extracts answers. Both tokenize their texts and run the model on batches of texts of similar length.
//!
//! All calls block until the session's own thread has computed the result, so they must not be made on an event loop.
//!
//! ```no_run
//! use control::Control;
//! use inference::{EncodeOptions, Encoder, EncoderConfig, EncoderInput, RuntimeChoice, Session};
//!
//! let folder = std::path::Path::new("models/minilm-encoder");
//! let session = Session::open(&RuntimeChoice::BuiltIn, &folder.join("model.onnx"), 2)?;
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

pub use encoder::{
    DEFAULT_BATCH_TOKENS, EncodeOptions, Encoder, EncoderConfig, EncoderInput, MIN_MAX_TOKENS, PassageForm,
    Pooling, TokenTypes,
};
pub use error::Error;
pub use reader::{
    LongPassages, PassageLogits, ReaderConfig, ReaderForm, ReaderInputs, ReaderModel, ReaderPassage,
    Relevance, Window,
};
pub use runtime::{Batch, Library, Runtime, RuntimeChoice, Session, Tensor};
