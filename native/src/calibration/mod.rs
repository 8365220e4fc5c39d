//! Calibration of confidence, and fusion by it.

mod choice;
mod judged_scores;
mod temperature;
