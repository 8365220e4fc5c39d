//! Reads the passages of whole runs with a reader model. A reading is what the model returns for one question and one
//! passage. It does not depend on how answers are scored, so stored readings can be scored with any weights.
//!
//! `run_reader` reads a run, `run_readings` has the result and extracts answers from it, and `readings_judge` compares
//! the answers with accepted answers and tunes weights. `cache` stores readings in a file, so that no passage is read
//! twice for the same question. `options` has the options that these modules share.

mod cache;
mod options;
mod readings_judge;
mod run_reader;
mod run_readings;
