//! Flat and HNSW indexes.

mod any_index;
mod batch;
mod build;
mod files;
mod filter;
mod filters;
mod gate;
mod ids;
mod index;
mod opened;
mod openers;
mod options;
mod pace;
mod phrases;
mod search;
mod slices;
mod strand;
