//! Tests of searches with filters, of counting the values of a field, and of sorting by a field. Random cases are
//! compared with reference implementations (`model`, `value_model`), and `examples` has one example for each rule of
//! the documentation of `Filter`.

mod examples;
mod model;
mod random;
mod strategies;
mod value_model;
