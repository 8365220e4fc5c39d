//! How confident a retrieval model is of its best passage, how far that is from how often it is right, and the temperature
//! that brings the two together (Yang et al., 2023, "Confidence-Calibrated Ensemble Dense Phrase Retrieval", §3.2; Guo et
//! al., 2017).
//!
//! ```
//! use calibration::{Bins, Outcomes, confidence};
//!
//! assert_eq!(confidence(&[2.0, 1.0], 1.0), 1.0 / (1.0 + (-1f64).exp()));
//! // At a low temperature the best has it all; nothing overflows.
//! assert_eq!(confidence(&[700.0, 1.0], 1e-300), 1.0);
//!
//! let scores = [80.0, 79.0, 70.0, 60.0, 59.5, 59.0];
//! let outcomes = Outcomes::new(&scores, 3, &[true, false])?;
//! let bins = Bins::new(&outcomes.confidences(1.0), outcomes.correct(), 10)?;
//! assert!(bins.squared_error() < 0.2);
//! # Ok::<(), calibration::Error>(())
//! ```

mod bins;
mod choice;
mod confidence;
mod descent;
mod error;
mod judged;
mod outcomes;
mod search;

pub use bins::{Bin, Bins, brier_score};
pub use choice::{Candidate, Choice, choose};
pub use confidence::{confidence, confidence_gradient, doubt};
pub use descent::{Descent, Step, descend};
pub use error::Error;
pub use judged::{Judged, judged};
pub use outcomes::Outcomes;
pub use search::{Temperature, search};
