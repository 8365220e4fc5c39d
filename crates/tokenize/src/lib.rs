//! Tokenizers of models. They convert texts to vocabulary ids with byte offsets, and join the ids into model inputs
//! (`[CLS] a [SEP] b [SEP]`).
//!
//! [`Tokenizer`] reads a `tokenizer.json` and runs it with the `tokenizers` library of Hugging Face ([`library`]). The
//! file may be hostile, so its rules are checked and their effects are limited ([`rules`]). With BERT's rules, ASCII
//! text is split by code that is about ten times as fast and gives the same pieces ([`ascii_word_pieces`], which looks
//! pieces up in a [`double_array_trie`]). [`model_input`] joins the ids of [`Pieces`] into a [`ModelInput`].
//!
//! ```no_run
//! use tokenize::Tokenizer;
//!
//! let tokenizer = Tokenizer::open("models/minilm-encoder/tokenizer.json".as_ref())?;
//! let pieces = tokenizer.pieces("Passage retrieval")?;
//! let input = tokenizer.input(&pieces.ids, None);
//! assert_eq!(input.ids.len(), pieces.ids.len() + 2); // [CLS] … [SEP]
//! # Ok::<(), tokenize::Error>(())
//! ```

mod ascii_word_pieces;
mod double_array_trie;
mod error;
mod file;
mod library;
mod model_input;
mod pieces;
mod rules;
mod tokenizer;

pub use error::Error;
pub use file::read_tokenizer_file;
pub use model_input::ModelInput;
pub use pieces::Pieces;
pub use tokenizer::Tokenizer;
