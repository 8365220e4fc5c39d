//! Searches with filters: random filters against a model, and each rule of the documentation by example.

mod examples;
mod model;
mod random;
mod strategies;
