//! Tokenizers of models: converts texts to vocabulary ids with byte offsets, and joins those to model inputs
//! (`[CLS] a [SEP] b [SEP]`).
//!
//! [`Tokenizer`] reads a `tokenizer.json` and runs it with the `tokenizers` library ([`library`]), whose rules are
//! limited because the file may be hostile ([`rules`]). ASCII text for BERT's tokenizers takes a shortcut that is ten
//! times as fast and gives the same pieces ([`ascii_word_pieces`]).
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
