//! Tests of what an index stores for its caller: passages with their texts and ords, and a state for each commit. Random
//! operations are compared with a list of passages (`model`), and `examples` has one case for each documented error and
//! each rule for states.

mod examples;
mod model;
mod random;
