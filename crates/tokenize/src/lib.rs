//! Word pieces for models: texts to ids with byte offsets, and model inputs `[CLS] a [SEP] b [SEP]` made of them.
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

mod error;
mod file;
mod guard;
mod input;
mod pieces;
mod plain;
mod rules;
mod tokenizer;
mod trie;

pub use error::Error;
pub use file::read_tokenizer_file;
pub use input::ModelInput;
pub use pieces::Pieces;
pub use tokenizer::Tokenizer;
