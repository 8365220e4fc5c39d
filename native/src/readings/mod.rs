//! What a reader says of the passages of whole runs: read once, stored in a cache, scored as often as wanted.

mod cache;
mod options;
mod reader_identity;
mod readings_judge;
mod run_reader;
mod run_readings;
