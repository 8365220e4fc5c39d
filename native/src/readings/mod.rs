//! Reads the passages of whole runs with a reader model. A reading is what the model returns for one question and one
//! passage. It is stored in a `cache`, so that no passage is read twice, and it can be scored with any weights.
//!
//! `run_reader` reads a run, `run_readings` has the result and extracts answers from it, and `readings_judge` compares
//! the answers with accepted ones and tunes weights. `options` has the options that they share.

mod cache;
mod options;
mod readings_judge;
mod run_reader;
mod run_readings;
