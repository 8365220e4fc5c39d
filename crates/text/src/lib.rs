//! What is done to text on both sides of an index: splitting documents into passages before, and
//! judging answers after. Nothing here reads a file or knows a model.
//!
//! ```
//! use text::{AnswerMatcher, SplitOptions, normalise_answer, split_words};
//!
//! let document = "Super Bowl 50 was won by the Denver Broncos.";
//! let pieces = split_words(document, &SplitOptions { words: 5, ..SplitOptions::default() })?;
//! assert_eq!(&document[pieces[0].range.clone()], "Super Bowl 50 was won");
//!
//! let matcher = AnswerMatcher::tokens(["denver broncos"]);
//! assert!(matcher.matches(document));
//! assert_eq!(normalise_answer("The Denver Broncos!"), "denver broncos");
//! # Ok::<(), text::Error>(())
//! ```

mod answer_match;
mod error;
mod normalise;
mod pattern;
mod prediction_match;
mod prepared;
mod python_chars;
mod python_pattern;
mod split;
mod utf16;

pub use answer_match::AnswerMatcher;
pub use error::Error;
pub use normalise::normalise_answer;
pub use prediction_match::PredictionMatcher;
pub use prepared::PreparedText;
pub use split::{Piece, SplitOptions, Splitter, split_words};
pub use utf16::Utf16Offsets;
