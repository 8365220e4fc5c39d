//! Vectors as distributions over a vocabulary, and lexical enrichment (Ram et al., 2023): `projection` maps vectors to
//! tokens, `token_vectors` has a vector for each token, `piece_counts` has weights of tokens, and `lexicon` adds the
//! vectors of a text's tokens to the text's vector.

mod lexicon;
mod piece_counts;
mod projection;
mod token_vectors;
