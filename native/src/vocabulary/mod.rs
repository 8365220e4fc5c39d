//! Vectors as distributions over a vocabulary, and lexical enrichment.

mod lexicon;
mod piece_counts;
mod projection;
mod token_vectors;
