//! Flat and HNSW indexes.

mod build;
mod filter;
mod filters;
mod ids;
mod index;
mod open;
mod options;
mod phrases;
mod vector_batch;
mod vector_files;
