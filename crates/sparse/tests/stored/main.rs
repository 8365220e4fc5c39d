//! Tests of what an index stores for its caller: passages with their texts, their ords, and a state per commit. Random
//! operations are compared with a list of passages (`model`), and `examples` has one case per documented error.

mod examples;
mod model;
mod random;
