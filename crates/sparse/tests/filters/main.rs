//! Tests of searches with filters, and of the counts and the order of the values of fields: random ones compared with
//! reference implementations (`model`, `value_model`), and one example per rule of the documentation of `Filter`.

mod examples;
mod model;
mod random;
mod strategies;
mod value_model;
