//! Passages cut into phrases: groups of sentences, or of words by a model's word pieces (Yang et al., 2023,
//! "Confidence-Calibrated Ensemble Dense Phrase Retrieval", §3.1).
//!
//! ```
//! use control::Control;
//! use phrases::{Segmenter, sentences};
//!
//! let text = "Dr. Ada Moss moved to St. Ives in 1987. She paid 3.5 million! Why? Nobody knows.";
//! let parts: Vec<&str> = sentences(text).map(|range| &text[range]).collect();
//! assert_eq!(
//!     parts,
//!     ["Dr. Ada Moss moved to St. Ives in 1987.", "She paid 3.5 million!", "Why?", "Nobody knows."]
//! );
//!
//! let segmenter = Segmenter::by_sentences(3)?;
//! let phrases = segmenter.segment(text, &Control::new())?;
//! assert_eq!(&text[phrases[1].clone()], "Nobody knows.");
//! # Ok::<(), phrases::Error>(())
//! ```

mod abbreviations;
mod ahead;
mod characters;
mod error;
mod lines;
mod pieces;
mod segmenter;
mod sentences;
mod starters;
mod stop;
mod verdict;

pub use error::Error;
pub use segmenter::Segmenter;
pub use sentences::{Sentences, sentences};
