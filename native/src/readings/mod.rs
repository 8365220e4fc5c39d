//! The output of a reader for the passages of whole runs. Passages are read once; their readings are stored in a cache, and
//! scored as often as wanted.

mod cache;
mod options;
mod reader_identity;
mod readings_judge;
mod run_reader;
mod run_readings;
