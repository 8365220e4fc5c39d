//! Computes how confident a retrieval model is that its best passage is correct, measures the calibration error of this
//! confidence, and finds the temperature that minimizes the error (Yang et al., 2023, "Confidence-Calibrated Ensemble
//! Dense Phrase Retrieval", §3.2; Guo et al., 2017). The confidence is the softmax of the model's best score; the
//! temperature is the number by which all scores are divided before the softmax.
//!
//! [`Outcomes`] has the best scores of one model for several questions, and whether its best passage for each question
//! is correct; [`run_outcomes`] computes them from a run. An [`Ensemble`] has the outcomes of several models; for each
//! question, its prediction is the best passage of the most confident model. [`search`] finds the one temperature, for
//! all models, with the smallest calibration error. [`descend`] is the gradient descent of Yang et al. [`choose`] finds
//! the most confident model for one question, and [`fuse_by_confidence`] does so for each query of several runs.
//!
//! ```
//! use calibration::{Bins, Outcomes, confidence};
//!
//! assert_eq!(confidence(&[2.0, 1.0], 1.0), 1.0 / (1.0 + (-1f64).exp()));
//! // At a low temperature, the highest score has all of the weight, and nothing overflows.
//! assert_eq!(confidence(&[700.0, 1.0], 1e-300), 1.0);
//!
//! // Three scores for each of two questions.
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
mod ensemble;
mod error;
mod fuse;
mod outcomes;
mod run_outcomes;
mod search;

pub use bins::{Bin, Bins, brier_score};
pub use choice::{Candidate, Choice, choose};
pub use confidence::{confidence, confidence_gradient, log_odds_against};
pub use descent::{Descent, Step, descend};
pub use ensemble::{Ensemble, Prediction};
pub use error::Error;
pub use fuse::{ConfidentModel, ConfidentRun, fuse_by_confidence};
pub use outcomes::Outcomes;
pub use run_outcomes::{RunOutcomes, run_outcomes};
pub use search::{MAX_SEARCH_BINS, Temperature, search};
