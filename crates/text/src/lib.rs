//! Text processing before indexing and after retrieval: [`split_words`] splits documents into passages,
//! [`AnswerMatcher`] tells whether a passage contains an accepted answer and [`find_answers`] where,
//! [`PredictionMatcher`] and [`normalize_answer`] compare predicted answers with accepted ones, and [`Shingles`]
//! measure how much two texts have in common. Nothing here reads files or uses models.
//!
//! ```
//! use text::{AnswerMatcher, SplitOptions, normalize_answer, split_words};
//!
//! let document = "Super Bowl 50 was won by the Denver Broncos.";
//! let pieces = split_words(document, &SplitOptions { words: 5, ..SplitOptions::default() })?;
//! assert_eq!(&document[pieces[0].range.clone()], "Super Bowl 50 was won");
//!
//! let matcher = AnswerMatcher::tokens(["denver broncos"]);
//! assert!(matcher.matches(document));
//! assert_eq!(normalize_answer("The Denver Broncos!"), "denver broncos");
//! # Ok::<(), text::Error>(())
//! ```

mod answers;
mod error;
mod nfd;
mod python;
mod shingles;
mod split;
mod utf16;

pub use answers::{AnswerMatcher, PredictionMatcher, PreparedText, find_answers, normalize_answer};
pub use error::Error;
pub use shingles::Shingles;
pub use split::{Piece, SplitOptions, Splitter, split_words};
pub use utf16::Utf16Offsets;
