//! Cuts passages into phrases (Yang et al., 2023, "Confidence-Calibrated Ensemble Dense Phrase Retrieval", §3.1). A
//! phrase is a fixed number of sentences, or as many words as fit into a maximum number of word pieces.
//!
//! [`sentences`] splits a text into sentences. [`Segmenter`] groups sentences or words into phrases. Both return byte
//! ranges of the text.
//!
//! ```
//! use control::Control;
//! use phrases::{Segmenter, sentences};
//!
//! let text = "Dr. Ada Moss moved to St. Ives in 1987. She paid 3.5 million! Why? Nobody knows.";
//! let found: Vec<&str> = sentences(text).map(|range| &text[range]).collect();
//! assert_eq!(
//!     found,
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
