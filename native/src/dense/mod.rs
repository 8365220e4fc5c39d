//! Flat and HNSW indexes.

mod any_index;
mod batch;
mod build;
mod files;
mod index;
mod opened;
