//! Cuts passages into phrases: groups of sentences, or of words by their number of word pieces (Yang et al., 2023,
//! "Confidence-Calibrated Ensemble Dense Phrase Retrieval", section 3.1).
//!
//! [`sentences`] splits a text at sentence boundaries; [`Segmenter`] groups sentences or words into phrases. Both return
//! byte ranges of the text.
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

mod error;
mod segmenter;
mod sentences;
mod units;

pub use error::Error;
pub use segmenter::Segmenter;
pub use sentences::{Sentences, sentences};
